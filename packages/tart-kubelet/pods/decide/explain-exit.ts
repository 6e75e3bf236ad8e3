import { TOLD_TO_END } from '../../guests/exits.ts';
import type { GuestExit } from '../../guests/guest.ts';

export interface Explanation {
  /** It was stopped because a probe or a hook failed. */
  readonly condemned: boolean;
  readonly tail: string | undefined;
}

/** A run that was stopped for failing has failed, however orderly it shut down. */
export function explainExit(exit: GuestExit, { condemned, tail }: Explanation): GuestExit {
  if (condemned && exit.exitCode === 0) {
    return { ...exit, exitCode: TOLD_TO_END, reason: 'Error', message: 'stopped: a probe or hook failed' };
  }
  return exit.message === '' && tail ? { ...exit, message: tail } : exit;
}
