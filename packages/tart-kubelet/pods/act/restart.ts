import { formatDuration } from '@minifleet/clock';
import type { GuestExit } from '../../guests/guest.ts';
import { crashesAfter, restartDelay } from '../decide/delays.ts';
import { imageChanged } from '../decide/last-run.ts';
import { isReplaced, observe, type PodObservation } from '../observe.ts';
import { containerNameOf, type PodContext } from '../pod-context.ts';
import { startDelay, type WorkerDelay } from '../pod-state.ts';
import { reportStatus } from '../report.ts';
import { removeGuests } from './finish.ts';
import { launch } from './launch.ts';

/**
 * Restarts the Pod after its back-off. The end of the previous run is reported before its VM and record are removed.
 */
export async function restart(context: PodContext, observation: PodObservation): Promise<void> {
  const { state } = context;
  const { run } = observation;
  if (!run?.exit) return;
  state.monitor?.end();
  // A failed launch is retried after its own delay; until then its reason stays in the status.
  if (state.retry && !state.retry.wait.over) return;
  const replaced = isReplaced(state, run) || imageChanged(state.pod, run.guest);
  if (replaced) resetCrashes(context);
  else if (!countCrash(context, run.attempt, run.exit).over) return;
  state.stopping = undefined;
  if (run.guest) {
    await reportStatus(context, observation);
    state.lastExit = run.exit;
    await removeGuests(context);
  }
  state.waiting = undefined;
  // The record is gone but the reported status is not, so the next attempt number comes from `run`.
  await launch(context, { ...observe(context), run });
}

/**
 * Resets the crash count because the new image has not crashed yet. Until it runs, the status shows the wait for it.
 */
function resetCrashes({ state }: PodContext): void {
  state.crashes?.wait.cancel();
  state.crashes = undefined;
  state.waiting = { reason: 'ContainerCreating', message: 'The image was changed' };
}

/** Counts a crash once per run and returns the wait before the next one. */
function countCrash(context: PodContext, attempt: number, exit: GuestExit): WorkerDelay {
  const { state, deps } = context;
  if (state.crashes?.attempt === attempt) return state.crashes.wait;
  const count = crashesAfter(state.crashes?.count ?? 0, exit);
  const delay = restartDelay(count);
  const wait = startDelay(deps.clock, delay, () => context.wake());
  state.crashes = { attempt, count, wait };
  if (delay > 0) {
    const { name, namespace } = state.pod?.metadata ?? { name: '' };
    const what = `container=${containerNameOf(context)} pod=${name}_${namespace}(${state.uid})`;
    state.waiting = {
      reason: 'CrashLoopBackOff',
      message: `back-off ${formatDuration(delay)} restarting failed ${what}`,
    };
    context.emit(
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${containerNameOf(context)} in pod ${name}`,
    );
  }
  return wait;
}
