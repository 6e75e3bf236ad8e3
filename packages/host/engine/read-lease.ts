import { type Duration, seconds } from '@minifleet/clock';
import type { HostView } from '../host.ts';
import { loadScript } from '../load-script.ts';
import { LEASE_STALE_AFTER } from './lease-answer.ts';

/** Who changes a host, or did last. */
export interface LeaseSeen {
  readonly holder: string;
  /** Whether it would keep another caller out. */
  readonly held: boolean;
  /** Since its last sign of life, by the host's clock; long ago if it was let go. */
  readonly silentFor: Duration;
}

/** The lease as anyone may read it; undefined when nobody ever had one. */
export async function readLease(host: HostView): Promise<LeaseSeen | undefined> {
  const { stdout } = await host.look(['/bin/sh', '-c', loadScript('show-lease'), 'show-lease']);
  return parseLease(stdout);
}

/** The time, then `<last sign of life> <number> <token> <holder>` a line: the highest number counts. */
export function parseLease(text: string): LeaseSeen | undefined {
  const [now = '', ...lines] = text.trim().split('\n');
  const [last] = lines
    .flatMap(line => {
      const [, sign, number, holder] = /^(\d+) (\d+) \S+ (.*)$/.exec(line) ?? [];
      return holder === undefined ? [] : [{ sign: Number(sign), number: Number(number), holder }];
    })
    .sort((one, other) => other.number - one.number);
  if (!last) return undefined;
  const silentFor = seconds(Number(now) - last.sign);
  return { holder: last.holder, held: silentFor <= LEASE_STALE_AFTER, silentFor };
}
