import { isTerminal } from '../decide/desired.ts';
import type { Picture, PodStatus } from './picture.ts';

export type Phase = NonNullable<PodStatus['phase']>;

/** Nothing of the Pod runs any more and nothing will be started: only then may a terminal phase be written. */
export const isOver = ({ desired, observed }: Picture): boolean =>
  (desired === 'terminating' || desired === 'finished') && (observed === 'none' || observed === 'exited');

/** A terminal phase never changes; before it, Running is never taken back. */
export function podPhase(picture: Picture): Phase {
  const { pod, run, ending } = picture;
  if (isTerminal(pod)) return pod.status?.phase as Phase;
  if (isOver(picture)) return ending || run?.exit?.exitCode !== 0 ? 'Failed' : 'Succeeded';
  const hasRun =
    run !== undefined && (run.attempt > 0 || run.exit !== undefined || run.guest?.state.phase === 'running');
  return hasRun || pod.status?.phase === 'Running' ? 'Running' : 'Pending';
}
