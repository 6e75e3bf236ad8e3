import type { Pod } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import type { Desired } from './pod-table.ts';

/** Why a Pod ends as Failed whatever its process said: refused, out of time, evicted. */
export interface Ending {
  readonly reason: string;
  readonly message: string;
  /** Nothing of it has run, so there is no container to speak of. */
  readonly refused?: boolean;
}

export interface WhatIsAsked {
  /** Undefined once the API server has it no more. */
  readonly pod: Pod | undefined;
  readonly exit: GuestExit | undefined;
  readonly ending: Ending | undefined;
  /** The run that exited was stopped for another image. */
  readonly replaced: boolean;
}

export const isTerminal = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

export function restartsAfter(pod: Pod, { exitCode }: GuestExit): boolean {
  const policy = pod.spec?.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/**
 * Deletion is looked at first. A Pod that is finished and then deleted is both; taken for finished it would never be
 * given back (504 Pods once stood in Terminating for that, I09).
 */
export function desired({ pod, exit, ending, replaced }: WhatIsAsked): Desired {
  if (!pod) return 'absent';
  if (pod.metadata.deletionTimestamp) return 'terminating';
  if (isTerminal(pod) || ending) return 'finished';
  return exit && !replaced && !restartsAfter(pod, exit) ? 'finished' : 'wanted';
}
