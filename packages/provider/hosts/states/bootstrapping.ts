import type { HostRemedies } from '@minifleet/api';
import { HOST_KEY_REFUSED, HOST_REBOOT_INEFFECTIVE } from '@minifleet/host';
import type { Server } from '@minifleet/vendors';
import type { BootstrapSettings } from '../../settings/settings.ts';
import { failureIn, type HostJournal, isFailing, type JournalFailure } from '../journal.ts';

export interface BootstrapInput {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly journal: HostJournal;
  readonly remedies: HostRemedies;
  /** Job of this process; `ended` until its result is written. */
  readonly job: 'none' | 'queued' | 'running' | 'ended';
  readonly server: Server['state'];
  /** The vendor can restart and reinstall a host. */
  readonly canRestart: boolean;
  readonly canReinstall: boolean;
  /** A host key is pinned: the host accepted the fleet key before, so it may run VMs, and a reinstallation would end them. */
  readonly acceptedKey: boolean;
  readonly settings: Pick<BootstrapSettings, 'rebootAfter' | 'giveUpAfter'>;
}

export type BootstrapDecision =
  | { readonly do: 'wait for the job' | 'record the job' | 'wait for the vendor' | 'bootstrap' }
  /** Written before the vendor is asked; the state of the host changes with it. */
  | { readonly do: 'restart' | 'reinstall' | 'give up'; readonly failure: JournalFailure }
  /** Without `at`, only another plan or an operator helps. */
  | { readonly do: 'wait for the next attempt'; readonly failure: JournalFailure; readonly at: number | undefined };

/** Next action on a host whose first plan is not applied yet. */
export function decideBootstrap(input: BootstrapInput): BootstrapDecision {
  const { job, journal, server, now } = input;
  if (job === 'queued' || job === 'running') return { do: 'wait for the job' };
  if (job === 'ended') return { do: 'record the job' };
  if (server !== 'ready') return { do: 'wait for the vendor' };
  const failure = failureIn(journal);
  // A job that died with its process is repeated at once.
  if (!failure || journal.job) return { do: 'bootstrap' };
  const remedy = remedyFor(input, failure);
  if (remedy) return { do: remedy, failure };
  const at = failure.nextAttemptTime === undefined ? undefined : Date.parse(failure.nextAttemptTime);
  return at !== undefined && at <= now ? { do: 'bootstrap' } : { do: 'wait for the next attempt', failure, at };
}

/**
 * Failures that do not depend on the host: another process works on it, another machine answers at its address, its claim was lost, or
 * the provider has a bug. Neither a restart nor a reinstallation helps.
 */
const NOT_THE_HOST: ReadonlySet<string | undefined> = new Set([
  'HostBusy',
  'HostLeaseLost',
  'HostIdentityChanged',
  'ClaimLost',
  'InternalError',
]);

function remedyFor(input: BootstrapInput, failure: JournalFailure): 'restart' | 'reinstall' | 'give up' | undefined {
  const { journal, remedies, settings, acceptedKey, canRestart, canReinstall } = input;
  const refusesKey = failure.reason === HOST_KEY_REFUSED.definition.reason;
  if (acceptedKey && refusesKey) return undefined;
  const failures = failuresOn(journal, reason => !NOT_THE_HOST.has(reason));
  if (settings.giveUpAfter > 0 && failures >= settings.giveUpAfter) return 'give up';
  if (refusesKey && !remedies.reinstall) return canReinstall ? 'reinstall' : undefined;
  // A second restart does not help where the first did not.
  const helped = failuresOn(
    journal,
    reason => !NOT_THE_HOST.has(reason) && reason !== HOST_REBOOT_INEFFECTIVE.definition.reason,
  );
  if (!canRestart || settings.rebootAfter === 0 || helped < settings.rebootAfter) return undefined;
  const { restart } = remedies;
  if (!restart) return 'restart';
  // A restart that the vendor refused is requested again after the next failure.
  return restart.refusal !== undefined && helped > (restart.attempts ?? 0) ? 'restart' : undefined;
}

/** Most consecutive failures of the connection or of a step. */
export function failuresOn({ contact, steps = [] }: HostJournal, counts: (reason?: string) => boolean): number {
  const failing = [...(contact ? [contact] : []), ...steps.filter(isFailing)].filter(({ reason }) => counts(reason));
  return Math.max(0, ...failing.map(({ attempts = 0 }) => attempts));
}
