import { type Duration, milliseconds, seconds, type Timer } from '@minifleet/clock';
import { errorFields, messageOf } from '@minifleet/kube';
import { stopGrace } from '../decide/delays.ts';
import type { PodObservation } from '../observe.ts';
import { containerNameOf, idOf, type PodContext } from '../pod-context.ts';
import type { StopInProgress } from '../pod-state.ts';
import { runHook } from '../probes/guest-action.ts';
import { actionContext } from './start-probes.ts';

/** As in kubelet, the guest gets at least this long after a preStop hook, however long the hook took. */
const AFTER_HOOK = seconds(2);
const AGAIN_AFTER = seconds(5);

/**
 * Stops the run within its grace period and applies a shortened period immediately. Returns before the guest has ended.
 */
export async function stop(context: PodContext, { run }: PodObservation): Promise<void> {
  const { state } = context;
  if (!run) return;
  const ofProbe = state.mustRestart?.attempt === run.attempt ? state.mustRestart.grace : undefined;
  const grace = stopGrace({ pod: state.pod, absent: state.gone, ofProbe });
  if (state.stopping?.attempt !== run.attempt) state.stopping = begin(context, { attempt: run.attempt, grace });
  else if (grace < state.stopping.grace) {
    state.stopping.shorten(grace);
    state.stopping = { ...state.stopping, grace };
  }
}

interface StopRequest {
  readonly attempt: number;
  readonly grace: Duration;
}

function begin(context: PodContext, { attempt, grace }: StopRequest): StopInProgress {
  const { state, deps } = context;
  const { clock, guests } = deps;
  const id = idOf(context, attempt);
  const hookOver = new AbortController();
  let deadline = clock.now() + grace;
  let stopping = false;
  let hookTimer: Timer | undefined = clock.after(grace, () => hookOver.abort());

  // Capped at the grace period in case the host's clock is set back.
  const left = (): Duration => milliseconds(Math.min(grace, Math.max(0, deadline - clock.now())));
  async function end(): Promise<void> {
    const hooked = await preStop(context, attempt, hookOver.signal);
    hookTimer?.cancel();
    hookTimer = undefined;
    stopping = true;
    await guests.stop(id, hooked ? milliseconds(Math.max(left(), AFTER_HOOK)) : left());
  }
  const failed = (error: unknown): void => {
    hookTimer?.cancel();
    context.log.error(errorFields(error), 'Guest stop failed; retrying');
    context.emit('Warning', 'FailedKillPod', `error killing pod: ${messageOf(error)}`);
    state.stopping = undefined;
    context.wakeAt(clock.now() + AGAIN_AFTER);
  };

  state.monitor?.end();
  // A failed probe has already emitted its own event.
  if (state.mustRestart?.attempt !== attempt)
    context.emit('Normal', 'Killing', `Stopping container ${containerNameOf(context)}`);
  void end().then(() => context.wake(), failed);
  return {
    attempt,
    grace,
    shorten(shorter) {
      deadline = Math.min(deadline, clock.now() + shorter);
      if (stopping)
        guests.stop(id, left()).catch(() => undefined); // the first call reports the failure
      else {
        hookTimer?.cancel();
        hookTimer = clock.after(left(), () => hookOver.abort());
      }
    },
  };
}

/** Runs the preStop hook within the grace period; true if the Pod has one. */
async function preStop(context: PodContext, attempt: number, signal: AbortSignal): Promise<boolean> {
  const { state, deps } = context;
  const hook = state.pod?.spec?.containers[0]?.lifecycle?.preStop;
  if (!hook || state.gone || deps.guests.find(idOf(context, attempt))?.state.phase !== 'running') return false;
  const { ok, output } = await runHook({ hook, clock: deps.clock, signal, context: actionContext(context, attempt) });
  if (!ok) context.emit('Warning', 'FailedPreStopHook', `PreStopHook failed: ${output}`);
  return true;
}
