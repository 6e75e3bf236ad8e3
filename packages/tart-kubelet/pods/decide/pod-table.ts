import type { Pod } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import type { Run } from './last-run.ts';

/** What the API says of a Pod. */
export type Desired =
  /** Its object is gone: nobody will ask how it ended. */
  | 'absent'
  | 'wanted'
  /** Marked for deletion: its object goes when its guest has gone. */
  | 'terminating'
  /** It ran its course, was refused, or ran out of time; its object stays. */
  | 'finished';

/** What the host says of the Pod's newest run. */
export type Observed =
  | 'none'
  /** Pulling, preparing, waiting for a slot, cloning: a launch is under way. */
  | 'launching'
  /** Its record exists and nobody is making it: an agent died, or a clone failed. */
  | 'half made'
  | 'starting'
  | 'running'
  /** Starts or runs, and may not go on: a probe or a hook failed, or the Pod asks for another image. */
  | 'condemned'
  | 'exited';

export type Action =
  | 'launch'
  | 'wait'
  | 'tend'
  | 'restart'
  /** Gives up the launch under way. */
  | 'abandon'
  | 'stop'
  /** Writes the terminal status, then tears down. */
  | 'finish'
  /** The same, and gives the API object back. */
  | 'release'
  /** Tears down without a word: there is no object to write to. */
  | 'forget';

/** Desired × observed: the life of a Pod. Total: the test walks every cell. */
export const podTable: Readonly<Record<Desired, Readonly<Record<Observed, Action>>>> = {
  absent: {
    none: 'forget',
    launching: 'abandon',
    'half made': 'stop',
    starting: 'stop',
    running: 'stop',
    condemned: 'stop',
    exited: 'forget',
  },
  wanted: {
    none: 'launch',
    launching: 'wait',
    'half made': 'launch',
    starting: 'wait',
    running: 'tend',
    condemned: 'stop',
    exited: 'restart',
  },
  terminating: {
    none: 'release',
    launching: 'abandon',
    'half made': 'stop',
    starting: 'stop',
    running: 'stop',
    condemned: 'stop',
    exited: 'release',
  },
  finished: {
    none: 'finish',
    launching: 'abandon',
    'half made': 'stop',
    starting: 'stop',
    running: 'stop',
    condemned: 'stop',
    exited: 'finish',
  },
};

/** Why a Pod ends as Failed whatever its process said: refused, out of time, evicted. */
export interface Ending {
  readonly reason: string;
  readonly message: string;
  /** Nothing of it has run, so there is no container to speak of. */
  readonly refused?: boolean;
}

interface WhatIsAsked {
  /** Undefined once the API server has it no more. */
  readonly pod: Pod | undefined;
  readonly exit: GuestExit | undefined;
  readonly ending: Ending | undefined;
  /** The run that exited was stopped for another image. */
  readonly replaced: boolean;
}

export const isTerminal = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

function restartsAfter(pod: Pod, { exitCode }: GuestExit): boolean {
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

interface WhatIsSeen {
  readonly run: Run | undefined;
  readonly launching: boolean;
  readonly condemned: boolean;
}

/** A launch counts until it has settled, even when its guest exists already: nobody stops what is still being made. */
export function observed({ run, launching, condemned }: WhatIsSeen): Observed {
  if (launching) return 'launching';
  if (!run) return 'none';
  const state = run.guest?.state;
  switch (state?.phase) {
    case undefined:
    case 'exited':
      return 'exited';
    case 'creating':
      return 'half made';
    case 'starting':
      return condemned ? 'condemned' : 'starting';
    case 'running':
      return condemned ? 'condemned' : 'running';
  }
}
