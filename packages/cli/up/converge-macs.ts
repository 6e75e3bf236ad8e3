import { type Duration, formatDuration, seconds } from '@minifleet/clock';
import type { Surroundings } from '../surroundings.ts';
import { createLiveLines, type LiveLines } from '../terminal/live-lines.ts';
import { paintFor } from '../terminal/paint.ts';
import { becomeHost } from './become-host.ts';
import type { HostToBe } from './hosts-to-be.ts';

/** A Mac of the pool after we were there. */
export interface ConvergedMac extends HostToBe {
  readonly well: boolean;
  /** What it showed; undefined when it was never reached. */
  readonly hostKey: string | undefined;
}

/** One that takes longer is not waited for: the cluster is what most came for. */
const WITHIN: Duration = seconds(45);

/** Makes the simulated Macs hosts, all at once, with a line of progress each. A host that fails holds nobody up. */
export async function convergeMacs(
  macs: readonly HostToBe[],
  keyFile: string,
  around: Surroundings,
): Promise<ConvergedMac[]> {
  const { output, clock } = around;
  const live = output.isTTY === true ? createLiveLines(output, clock) : undefined;
  const enough = new AbortController();
  const timer = clock.after(WITHIN, () => enough.abort(new Error(`not finished within ${formatDuration(WITHIN)}`)));
  const signal = AbortSignal.any([around.signal, enough.signal]);
  try {
    return await Promise.all(macs.map(mac => convergeMac(mac, { keyFile, live }, { ...around, signal })));
  } finally {
    timer.cancel();
    live?.end();
  }
}

interface Showing {
  readonly keyFile: string;
  readonly live: LiveLines | undefined;
}

async function convergeMac(mac: HostToBe, { keyFile, live }: Showing, around: Surroundings): Promise<ConvergedMac> {
  const { output, clock } = around;
  const paint = paintFor(output, around.colours);
  const began = clock.now();
  const title = (): string => `${mac.name} (${((clock.now() - began) / 1_000).toFixed(1)} s)`;
  let doing = 'connecting';
  const line = live?.begin(spinner => `${spinner} ${title()}: ${doing}`);
  const onEntry = ({ step, kind, words }: { step?: string; kind: string; words: string }): void => {
    doing = `${step === undefined ? '' : `${step} `}${kind}: ${words}`;
  };
  const { well, words, hostKey } = await becomeHost(mac, { keyFile, onEntry }, around);
  const text = `${well ? paint.good('✓') : paint.bad('✗')} ${title()}: ${words}`;
  if (line) line.keep(text);
  else output.write(`${text}\n`);
  return { ...mac, well, hostKey };
}
