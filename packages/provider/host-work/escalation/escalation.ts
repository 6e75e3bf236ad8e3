import type { HostStep } from '@minifleet/api';
import { HOST_KEY_REFUSED, HOST_REBOOT_INEFFECTIVE } from '@minifleet/host';
import type { BootstrapSettings } from '../../program/settings.ts';
import { isFailing, OF_THE_HOST } from '../journal/journal.ts';

export type Escalation = 'give up' | 'restart' | 'wipe' | 'none';

/**
 * Failures that say nothing of the host: another works on it, somebody else answers at its address, its claim is another's,
 * or we are at fault. None of them is helped by a restart or a wipe.
 */
const NOT_THE_HOSTS: ReadonlySet<string | undefined> = new Set([
  'HostBusy',
  'HostLeaseLost',
  'HostIdentityChanged',
  'ClaimLost',
  'InternalError',
]);

/** What many failures in a row ask for on a host that never served; each step of the ladder is off when its count is 0. */
export function escalationOf(
  steps: readonly HostStep[],
  { rebootAfter, giveUpAfter }: Pick<BootstrapSettings, 'rebootAfter' | 'giveUpAfter'>,
): Escalation {
  const failing = steps.filter(step => isFailing(step) && !NOT_THE_HOSTS.has(step.reason));
  if (giveUpAfter > 0 && failuresIn(failing) >= giveUpAfter) return 'give up';
  if (refusesOurKey(steps) && !steps.some(({ name }) => name === OF_THE_HOST.wipe)) return 'wipe';
  // What a restart did not help is not helped by another.
  const failures = failuresIn(failing.filter(({ reason }) => reason !== HOST_REBOOT_INEFFECTIVE.definition.reason));
  if (rebootAfter === 0 || failures < rebootAfter) return 'none';
  const restart = steps.find(({ name }) => name === OF_THE_HOST.restart);
  if (!restart) return 'restart';
  // One that the vendor refused is asked for once more after the next failure.
  return restart.state === 'Failed' && failures > (restart.attempts ?? 0) ? 'restart' : 'none';
}

/** It was delivered before the fleet had its key: the vendor puts keys on a host only when it installs it, and there is nothing on it yet to lose. */
const refusesOurKey = (steps: readonly HostStep[]): boolean =>
  steps.some(step => isFailing(step) && step.reason === HOST_KEY_REFUSED.definition.reason);

/** Failures in a row of whatever fails, to be written beside a restart. */
export const failuresIn = (steps: readonly HostStep[]): number =>
  Math.max(0, ...steps.filter(isFailing).map(({ attempts = 0 }) => attempts));
