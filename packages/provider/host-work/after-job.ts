import { type MachineAddress, machineReasons } from '@minifleet/api';
import { CataloguedError } from '@minifleet/errors';
import { HOST_PASSWORD_SEALED, HOST_PASSWORD_WRONG, HOST_SUDO_PASSWORD_WRONG } from '@minifleet/host';
import type { MachineParts } from '../machines/parts.ts';
import type { MachineScope } from '../machines/scope.ts';
import type { Job } from './host-work.ts';
import { failingStep, type HostJournal, notDone, statusOf, stepsFor } from './journal/journal.ts';

const PASSWORD_REFUSED: ReadonlySet<string> = new Set(
  [HOST_SUDO_PASSWORD_WRONG, HOST_PASSWORD_WRONG, HOST_PASSWORD_SEALED].map(({ code }) => code),
);

/**
 * What others have to know of a run that ended. It comes before the end is written down, and may come twice: a process that
 * dies in between would otherwise leave a password to be tried again, or a host to be trusted anew.
 */
export async function tellAfterJob(job: Job, scope: MachineScope, parts: MachineParts): Promise<void> {
  const { samm, found } = scope;
  const { state } = job;
  if ((state.kind === 'converged' || state.kind === 'failed') && state.hostKey !== undefined && found.access) {
    if (found.access.hostKey === undefined) await parts.credentials.pin(samm, state.hostKey);
  }
  const error = errorOf(job);
  if (error && job.password && PASSWORD_REFUSED.has(error.code))
    await parts.credentials.passwordRejected(samm, job.password);
  if (state.kind !== 'converged') return;
  const firstTime = samm.status?.plan?.applied === undefined;
  if (firstTime && !state.report.error) await parts.claims.recordSuccess(samm.spec.claimRef?.name ?? '');
  if (state.facts.addresses.length > 0)
    statusOf(samm).addresses = withInternal(samm.status?.addresses, state.facts.addresses);
}

function errorOf({ state }: Job): CataloguedError | undefined {
  if (state.kind === 'converged') return state.report.error;
  return state.kind === 'failed' && state.error instanceof CataloguedError ? state.error : undefined;
}

/** What the host says of itself beside what the vendor says of it. */
export function withInternal(
  before: readonly MachineAddress[] | undefined,
  addresses: readonly string[],
): MachineAddress[] {
  const others = (before ?? []).filter(({ type }) => type !== 'InternalIP');
  const own = addresses.filter(address => !others.some(other => other.address === address));
  return [...others, ...own.map(address => ({ type: 'InternalIP', address }) as const)];
}

/** One event an end, for `kubectl describe`. That a host is bootstrapped is told by its condition; that nothing was found, by nobody. */
export function announceEnd(job: Job, { samm }: MachineScope, parts: MachineParts, after: HostJournal): void {
  const tell = (type: 'Normal' | 'Warning', reason: string, note: string): void =>
    parts.events.record({ regarding: samm, type, reason, action: 'Bootstrap', note });
  const before = samm.status?.plan?.applied;
  const failing = failingStep(after.steps ?? []);
  const drifted = stepsFor(after.steps ?? [], notDone.drift);
  if (failing) {
    const reason = failing.state === 'Failed' ? machineReasons.StepFailed : machineReasons.StepWaiting;
    tell('Warning', reason, `${failing.name}: ${failing.message ?? ''}`);
  } else if (drifted.length > 0) {
    tell('Warning', machineReasons.DriftFound, `drifted steps: ${drifted.join(', ')}`);
  } else if (job.kind === 'converge' && before !== undefined && after.plan?.applied === job.plan) {
    const rolled = before !== job.plan;
    tell('Normal', rolled ? 'Rolled' : 'Repaired', rolled ? 'the new plan is applied' : 'the drift is repaired');
  }
}
