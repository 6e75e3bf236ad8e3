import { explainExit, lastRun, type PodRun } from './decide/last-run.ts';
import { type DesiredState, desiredState, type ObservedState, observedState } from './decide/pod-table.ts';
import type { PodContext } from './pod-context.ts';
import type { PodState } from './pod-state.ts';

/** Desired and observed state of a Pod at one moment. */
export interface PodObservation {
  readonly desired: DesiredState;
  readonly observed: ObservedState;
  readonly run: PodRun | undefined;
}

export function observe({ state, deps }: PodContext): PodObservation {
  const pod = state.gone ? undefined : state.pod;
  const guests = deps.guests.all().filter(({ spec }) => spec.id.uid === state.uid);
  const run = explained(state, lastRun(pod, guests, deps.clock.now()));
  return {
    desired: desiredState({ pod, exit: run?.exit, failure: state.failure, replaced: isReplaced(state, run) }),
    observed: observedState({
      run,
      launching: state.launch !== undefined,
      mustRestart: run !== undefined && state.mustRestart?.attempt === run.attempt,
    }),
    run,
  };
}

/**
 * The run was stopped because the image changed. It is followed by a run of the new image regardless of the restart
 * policy.
 */
export const isReplaced = ({ mustRestart }: PodState, run: PodRun | undefined): boolean =>
  run !== undefined && mustRestart?.attempt === run.attempt && mustRestart.because === 'its image was changed';

/** Adds to the exit what the guest's record does not contain: the failed probe or hook, and the end of the log. */
function explained({ mustRestart, termination }: PodState, run: PodRun | undefined): PodRun | undefined {
  if (!run?.exit) return run;
  const failed = mustRestart?.attempt === run.attempt && mustRestart.because === 'a probe or hook failed';
  const tail = termination?.attempt === run.attempt ? termination.tail : undefined;
  return { ...run, exit: explainExit(run.exit, { probeFailed: failed, tail }) };
}
