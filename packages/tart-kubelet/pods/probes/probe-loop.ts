import { type Clock, pause, seconds } from '@minifleet/clock';
import type { ActionContext, ActionResult, Probe } from './guest-action.ts';
import { askGuest } from './guest-action.ts';
import { countProbe, type ProbeCount } from './probe-count.ts';

export interface ProbeLoop {
  readonly probe: Probe;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly initially: boolean;
  readonly context: () => Omit<ActionContext, 'signal'>;
  onResult(result: ActionResult, count: ProbeCount): void;
}

/** Asks again and again until the signal aborts. */
export async function runProbeLoop(loop: ProbeLoop): Promise<void> {
  const { probe, clock, signal } = loop;
  const thresholds = { success: probe.successThreshold ?? 1, failure: probe.failureThreshold ?? 3 };
  let count: ProbeCount = { passing: loop.initially, against: 0 };
  await pause(clock, seconds(probe.initialDelaySeconds ?? 0), signal);
  while (!signal.aborted) {
    const result = await askOnce(loop);
    if (signal.aborted) return;
    count = countProbe(count, result.ok, thresholds);
    loop.onResult(result, count);
    await pause(clock, seconds(probe.periodSeconds ?? 10), signal);
  }
}

async function askOnce({ probe, clock, signal, context }: ProbeLoop): Promise<ActionResult> {
  const late = new AbortController();
  const timer = clock.after(seconds(probe.timeoutSeconds ?? 1), () => late.abort());
  try {
    return await askGuest(probe, { ...context(), signal: AbortSignal.any([signal, late.signal]) });
  } finally {
    timer.cancel();
  }
}
