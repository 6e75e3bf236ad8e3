import { names } from '@minifleet/api';
import type { RunnerList } from '@minifleet/forges';
import type { KubeSecret } from '@minifleet/kube';

/** Registration recorded in the Secret of a runner. Fields are written in this order and never removed. */
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

export function readRegistration(secret: KubeSecret | undefined): RunnerRegistration {
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

/** State of a registration at GitHub. */
export type RegistrationState =
  /** No registration recorded. */
  | 'none'
  /** Registered; GitHub has not reported it yet. */
  | 'unknown'
  | 'offline'
  /** Offline after it was online. */
  | 'cut'
  | 'idle'
  | 'busy'
  /** GitHub confirmed by name that it does not exist. */
  | 'absent';

/** List pages are not one snapshot: a runner missing from them is absent only if a lookup by name confirms it. */
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
