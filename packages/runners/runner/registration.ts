import { names } from '@minifleet/api';
import type { RunnerList } from '@minifleet/forges';
import type { Secret } from '@minifleet/kube';

/** What the Secret of a runner records of its registration. It is written in this order, and never taken back. */
export interface RunnerRegistration {
  readonly id: number | undefined;
  /** Times in milliseconds since 1970. */
  readonly mintedAt: number | undefined;
  readonly onlineSince: number | undefined;
  readonly jobSince: number | undefined;
  readonly node: string | undefined;
  readonly image: string | undefined;
}

export const CONFIGURATION_KEY = 'jitconfig';

export function readRegistration(secret: Secret | undefined): RunnerRegistration {
  const { annotations = {} } = secret?.metadata ?? {};
  const { runnerID, mintedAt, onlineSince, jobSince, runnerNode, runnerImage } = names.annotations;
  const id = Number(annotations[runnerID]);
  return {
    id: Number.isSafeInteger(id) && id > 0 ? id : undefined,
    mintedAt: timeIn(annotations[mintedAt]),
    onlineSince: timeIn(annotations[onlineSince]),
    jobSince: timeIn(annotations[jobSince]),
    node: annotations[runnerNode],
    image: annotations[runnerImage],
  };
}

/** What the forge says of it. */
export type RegistrationState =
  /** Never made, as far as is recorded. */
  | 'none'
  /** Made; the forge has not been heard on it yet. */
  | 'unknown'
  | 'offline'
  /** Offline, and it was online before. */
  | 'cut'
  | 'idle'
  | 'busy'
  /** The forge is sure that there is none, by its name. */
  | 'absent';

/** A list is pages, not one moment: one that is missing from it counts as absent only when its name was asked for too. */
export function registrationState(name: string, of: RunnerRegistration, account: RunnerList): RegistrationState {
  if (of.id === undefined) return 'none';
  const found = account.runners.get(name);
  if (found?.busy) return 'busy';
  if (found) return found.state === 'online' ? 'idle' : of.onlineSince === undefined ? 'offline' : 'cut';
  if (account.absent.has(name)) return 'absent';
  if (account.listedAt === undefined) return 'unknown';
  return account.listedAt <= (of.mintedAt ?? 0) ? 'offline' : 'unknown';
}

const timeIn = (text: string | undefined): number | undefined => {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
};
