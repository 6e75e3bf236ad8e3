import { formatDuration, pause } from '@minifleet/clock';
import { HOST_STEP_TIMED_OUT } from '../errors.ts';
import type { Host } from '../host.ts';
import { hostUnder } from './host-under.ts';
import { atRest, type Look } from './look-at.ts';
import type { Finding, PlannedStep } from './step.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface CarryOut {
  /** What is to be mended. */
  readonly finding: Finding;
  /** Looks at the step: `all` with whatever else is to be seen in that round trip. */
  readonly look: (what: 'all' | 'alone') => Promise<Look>;
  readonly onSettling?: () => void;
  readonly signal?: AbortSignal | undefined;
}

export interface CarriedOut {
  readonly after: Look;
  /** What was killed, removed, repaired. */
  readonly notes: readonly string[];
}

/** One step: changed, given time to settle, looked at again, all within its time. */
export async function carryOut(host: Host, step: PlannedStep, given: CarryOut): Promise<CarriedOut> {
  const late = new AbortController();
  const timer = host.clock.after(step.timeout, () => {
    const after = formatDuration(step.timeout);
    late.abort(HOST_STEP_TIMED_OUT({ step: step.id, address: host.address, after }));
  });
  const signal = given.signal ? AbortSignal.any([given.signal, late.signal]) : late.signal;
  try {
    const notes = await unlessAborted(step.change(hostUnder(host, signal), given.finding), signal);
    return { notes, after: await unlessAborted(settled(host, step, { ...given, signal }), signal) };
  } finally {
    timer.cancel();
  }
}

/** The first look is at everything: mostly the host is at rest at once, and no other is needed. */
async function settled(
  { clock }: Host,
  { settle }: PlannedStep,
  { look, onSettling, signal }: CarryOut,
): Promise<Look> {
  let seen = await look('all');
  if (!settle || atRest(seen)) return seen;
  onSettling?.();
  const deadline = clock.now() + settle.within;
  while (!atRest(seen) && clock.now() < deadline) {
    await pause(clock, settle.every, signal);
    signal?.throwIfAborted();
    seen = await look('alone');
  }
  return atRest(seen) ? look('all') : seen;
}
