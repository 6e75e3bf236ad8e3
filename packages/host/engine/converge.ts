import { pause, seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { HOST_FILE_VAULT_ON, HOST_REBOOT_INEFFECTIVE } from '../errors.ts';
import { FILE_VAULT_OFF } from '../file-vault.ts';
import type { Host } from '../host.ts';
import { applyPlan, describeInspection } from './apply.ts';
import { inspectAfterBoot, inspectTracks } from './inspect.ts';
import { flushAndRelease, saveLedger } from './ledger.ts';
import type { Plan } from './plan.ts';
import { readBeforeReboot, rebootHost } from './reboot-host.ts';
import { redactUnknownError } from './redact-error.ts';
import {
  attributeFailure,
  type ConvergeOptions,
  type ConvergeReport,
  reportOf,
  type StepReport,
  summary,
  trackState,
} from './report.ts';
import { type ConvergeRun, type StepTrack, startRun } from './run.ts';
import type { Disturbance } from './step.ts';

const RELEASE_TIMEOUT = seconds(10);

/**
 * Brings a host to a plan from any starting state, under an exclusive lease. Host failures are in the report. Throws
 * only when the caller's signal aborts, and for internal errors.
 */
export async function converge(host: Host, plan: Plan, options: ConvergeOptions): Promise<ConvergeReport> {
  options.signal?.throwIfAborted();
  const sent = options.roundTrips?.();
  const run = startRun(host, plan, options);
  try {
    const failure = await hostErrorIn(run, () => runPlan(run));
    if (failure) attributeFailure(run, failure);
    const unfinished = await hostErrorIn(run, () => flushAndRelease(run));
    if (unfinished && !failure) attributeFailure(run, unfinished);
    return reportOf(run, { error: failure ?? unfinished, sent });
  } catch (error) {
    await releaseAfterAbort(run);
    throw options.signal?.aborted ? options.signal.reason : redactUnknownError(error, options.redactor);
  } finally {
    run.lease.stop();
  }
}

async function runPlan(run: ConvergeRun): Promise<void> {
  await inspectTracks(run);
  run.report({ kind: 'inspected', attempt: run.attempt, message: summary(run) });
  await applyPlan(run);
  if (rebootDue(run) && (await mayReboot(run))) {
    await reboot(run);
    await applyPlan(run);
    for (const track of run.tracks) track.rebootedInVain ||= isRebootPending(track);
  }
  const inVain = run.tracks.find(track => isRebootPending(track) && track.rebootedInVain);
  if (!inVain) return;
  run.at = inVain;
  const { step, inspection } = inVain;
  throw HOST_REBOOT_INEFFECTIVE({
    step: step.id,
    address: run.host.address,
    difference: describeInspection(inspection),
  });
}

const isRebootPending = (track: StepTrack): boolean => trackState(track) === 'needs reboot';

/** A reboot without effect is not repeated, otherwise a caller that retries would reboot the host forever. */
const rebootDue = ({ tracks, options }: ConvergeRun): boolean =>
  options.reboot === 'when needed' &&
  options.allow === 'running VMs' &&
  tracks.some(track => isRebootPending(track) && !track.rebootedInVain);

const mayReboot = async ({ options }: ConvergeRun): Promise<boolean> => (await options.mayReboot?.()) ?? true;

/**
 * Refuses a Mac that would stop at the unlock screen of the next boot. State in memory is gone after a reboot, so every step is unknown
 * until it is inspected again.
 */
async function reboot(run: ConvergeRun): Promise<void> {
  const pending = run.tracks.filter(isRebootPending);
  const { fileVault, booted } = await readBeforeReboot(run.host);
  if (fileVault !== FILE_VAULT_OFF) {
    [run.at] = pending;
    throw HOST_FILE_VAULT_ON({ address: run.host.address, status: fileVault });
  }
  for (const track of run.tracks) if (!pending.includes(track)) track.inspection = undefined;
  await saveLedger(run);
  const names = pending.map(({ step }) => step.id);
  run.report({ kind: 'rebooting', attempt: run.attempt, message: `required by ${names.join(', ')}` });
  const began = run.host.clock.now();
  await rebootHost(run.host, booted, run.signal);
  await inspectAfterBoot(run);
  run.report({ kind: 'back', attempt: run.attempt, message: summary(run), durationMs: run.host.clock.now() - began });
}

/** Runs `doing` and returns a host failure as a value. Internal errors and aborts are thrown. */
async function hostErrorIn(run: ConvergeRun, doing: () => Promise<void>): Promise<CataloguedError | undefined> {
  try {
    await doing();
    return undefined;
  } catch (error) {
    if (run.options.signal?.aborted || !(error instanceof CataloguedError)) throw error;
    return error;
  }
}

/** Limits the release after an abort to RELEASE_TIMEOUT; a lease that could not be released expires by itself. */
async function releaseAfterAbort(run: ConvergeRun): Promise<void> {
  const enough = new AbortController();
  const done = flushAndRelease(run)
    .catch(() => run.lease.release())
    .catch(() => undefined);
  await Promise.race([done, pause(run.host.clock, RELEASE_TIMEOUT, enough.signal)]);
  enough.abort();
}

interface BeforeWorkOptions extends ConvergeOptions {
  /** Ids of the steps that allow workloads on the host. */
  readonly finalSteps: readonly string[];
  /** Maximum disturbance for the final steps. */
  readonly allowForFinalSteps: Disturbance;
}

/**
 * Brings a host to a plan and applies the steps that allow workloads last. A Node gets Pods and a runner gets jobs as
 * soon as these steps are done, so a reboot that other steps need must come first. The host is not rebooted once
 * workloads may run.
 */
export async function convergeBeforeWork(
  host: Host,
  plan: Plan,
  { finalSteps, allowForFinalSteps, ...options }: BeforeWorkOptions,
): Promise<ConvergeReport> {
  const all = options.only ?? plan.steps.map(({ id }) => id);
  const first = await converge(host, plan, { ...options, only: all.filter(id => !finalSteps.includes(id)) });
  if (first.outcome !== 'converged') return first;
  const second = await converge(host, plan, { ...options, allow: allowForFinalSteps, reboot: 'never' });
  return mergeReports(first, second);
}

/** Merges two reports into one: current step states from the second, changes from both. */
const mergeReports = (first: ConvergeReport, second: ConvergeReport): ConvergeReport => ({
  ...second,
  steps: second.steps.map(step =>
    withEarlierChange(
      step,
      first.steps.find(({ id }) => id === step.id),
    ),
  ),
  changes: first.changes + second.changes,
  notes: [...first.notes, ...second.notes],
  ...(first.roundTrips === undefined || second.roundTrips === undefined
    ? {}
    : { roundTrips: first.roundTrips + second.roundTrips }),
});

const withEarlierChange = (step: StepReport, earlier: StepReport | undefined): StepReport =>
  earlier?.changed && !step.changed ? { ...earlier, ...step, changed: true, notes: earlier.notes } : step;
