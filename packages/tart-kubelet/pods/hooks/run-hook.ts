import { type Clock, type Duration, pause, seconds } from '@minifleet/clock';
import { type ActionContext, type ActionResult, askGuest, type Hook } from '../probes/guest-action.ts';

export interface HookOptions {
  readonly hook: Hook;
  readonly clock: Clock;
  readonly context: Omit<ActionContext, 'signal'>;
  /** It is given up when this is over, or when the signal aborts. */
  readonly within?: Duration;
  readonly signal: AbortSignal;
}

/** Runs a postStart or preStop hook; never throws, a hook that was given up has failed. */
export async function runHook({ hook, clock, context, within, signal }: HookOptions): Promise<ActionResult> {
  const late = new AbortController();
  const timer = within === undefined ? undefined : clock.after(within, () => late.abort());
  const over = AbortSignal.any([signal, late.signal]);
  try {
    if (!hook.sleep) return await askGuest(hook, { ...context, signal: over });
    await pause(clock, seconds(hook.sleep.seconds), over);
    return { ok: !over.aborted, output: over.aborted ? 'no answer in time' : '' };
  } finally {
    timer?.cancel();
  }
}
