import { createHash } from 'node:crypto';
import type { HostStep, MacHost } from '@minifleet/api';
import { type Clock, type Duration, milliseconds, minutes } from '@minifleet/clock';
import { findCondition, setCondition } from '@minifleet/kube';
import { servingCondition } from '../bootstrap-condition.ts';
import { waveOf } from '../desired-plan.ts';
import { isListedAsForeign, named } from '../foreign-host.ts';
import type { FleetHost, HandlerDeps, HostScope, StateHandler, StateResult } from '../host-scope.ts';
import { isOver, jobStateOf } from '../jobs/host-job.ts';
import type { HostJobs } from '../jobs/host-jobs.ts';
import { failureIn, journalOf, notDone, stepsFor } from '../journal.ts';
import { isAgentReady } from '../left-nodes.ts';
import { bakeOn, disturbanceFor, guestsOn, isIdle, type Occupancy } from '../occupancy.ts';
import { type RolloutHost, type RolloutPermission, rolloutPermission } from '../rollout.ts';
import {
  type HostWork,
  missingCredentials,
  prepareWork,
  recordResult,
  rejoinIn,
  showProgress,
  startJob,
  withRunnerToken,
} from '../work.ts';
import { decideServing, type ServingDecision, type ServingInput } from './serving.ts';

/** Keeps a host in service at its plan: repairs drift, rolls out new plans, inspects periodically. Never restarts or gives it up. */
export const serving: StateHandler = async (scope, deps) => {
  const { host } = scope;
  const current = deps.jobs.of(host.metadata.name);
  // The job has its credentials and its plan, so nothing is read for it.
  if (current && !isOver(current)) {
    showProgress(scope, current);
    return report(scope, { do: 'wait for the job' }, undefined, deps);
  }
  // After a restore of etcd from a backup, the host may serve a machine that this cluster does not know.
  if (isListedAsForeign(scope)) return renamed(host);
  const work = await prepareWork(scope, deps);
  if (!work) return missingCredentials('Serving', host);
  const { input, occupancy } = await observe(scope, work, deps);
  const decision = decideServing(input);
  await act({ scope, work, occupancy }, decision, deps);
  return report(scope, decision, input.bake, deps);
};

function report(scope: HostScope, decision: ServingDecision, bake: string | undefined, deps: HandlerDeps): StateResult {
  const { host, server } = scope;
  const { clock, jobs } = deps;
  const { again: usual, ...condition } = servingCondition(decision, {
    now: clock.now(),
    journal: journalOf(host.status),
    job: jobs.of(host.metadata.name),
    vendorState: server?.stateWord ?? 'unknown',
    bake,
  });
  setCondition(host, { type: 'HostBootstrapped', ...condition }, clock);
  // The Node wakes its host when it turns silent, and not when it has been silent for long.
  const again = sooner(usual, nextRejoin(scope, deps) || undefined);
  const ready = condition.status === 'True';
  const message = ready ? condition.message : `HostBootstrapped ${condition.reason}: ${condition.message}`;
  return { ready, reason: ready ? 'Serving' : 'NotReady', message, ...(again === undefined ? {} : { again }) };
}

const sooner = (one: Duration | undefined, other: Duration | undefined): Duration | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;

/** The Node shows whether the host still serves its machine. */
function renamed({ spec, status }: MacHost): StateResult {
  const message = `Serving: ${named(status?.vendorName ?? '')}; nothing is done on the host until the server is named ${spec.consumerRef?.name} or the Machine is deleted`;
  return { ready: false, reason: 'NotReady', message };
}

interface Observed {
  readonly input: ServingInput;
  readonly occupancy: Occupancy;
}

/** Reads what a decision depends on. VMs and bakes are read only if there is something to do on the host. */
async function observe(scope: HostScope, { desired, plan, job }: HostWork, deps: HandlerDeps): Promise<Observed> {
  const { host, node, server } = scope;
  const { clock, client, settings, forge } = deps;
  const journal = journalOf(host.status);
  const rejoins = nextRejoin(scope, deps) === 0;
  const open =
    job === undefined &&
    (rejoins ||
      journal.job !== undefined ||
      journal.plan?.applied !== plan.desired ||
      (journal.steps ?? []).some(({ state }) => state !== 'Done'));
  const { namespace = '' } = host.spec.consumerRef ?? {};
  const { nodeName: name, ghActionsRunner: spec } = desired;
  const [pods, bake] = open
    ? await Promise.all([guestsOn(client, name), bakeOn({ namespace, name, spec, node }, forge)])
    : [0, undefined];
  const occupancy = {
    serves: true,
    guests: pods + (bake === undefined ? 0 : 1),
    // A runner takes its next job at any time; a cordon does not prevent that.
    takesGuests: spec !== undefined || node?.spec?.unschedulable !== true,
  };
  const mayBoot = spec
    ? occupancy.guests === 0 && isOlderThan(journal.plan?.appliedTime, BUILDER_BOOT_INTERVAL, clock)
    : isIdle(occupancy);
  const input: ServingInput = {
    now: clock.now(),
    desired: plan.desired,
    journal,
    job: jobStateOf(job),
    server: server?.state ?? 'ready',
    guests: occupancy.guests,
    bake,
    mayBoot,
    rejoins,
    permission: permissionOf(scope, plan.desired, deps),
    inspectAt: inspectionTime(host, inspectEvery(scope, settings.inspection.every), deps.jobs),
  };
  return { input, occupancy };
}

/**
 * Time until the agent of a silent Node gets credentials again; undefined while the Node reports. A process remembers its last job, so that
 * an agent that stays silent gets no job in every reconcile.
 */
function nextRejoin(scope: HostScope, deps: HandlerDeps): Duration | undefined {
  const { clock, jobs, settings } = deps;
  const until = rejoinIn(scope, deps);
  const last = jobs.endedAt(scope.host.metadata.name);
  if (until === undefined || last === undefined) return until;
  return milliseconds(Math.max(until, last + settings.rejoinAfter - clock.now(), 0));
}

/** Before a boot the runner is removed from GitHub. A refusal is not repeated at once. */
const BUILDER_BOOT_INTERVAL = minutes(1);

const isOlderThan = (time: string | undefined, age: Duration, clock: Clock): boolean =>
  time !== undefined && clock.now() - Date.parse(time) >= age;

function permissionOf(
  { host, node }: HostScope,
  desired: string,
  { settings, jobs, fleetOf }: HandlerDeps,
): RolloutPermission {
  const own = rolloutHost({ host, nodeReady: isAgentReady(node) }, jobs);
  return rolloutPermission({
    hosts: [own, ...fleetOf(host).map(other => rolloutHost(other, jobs))],
    name: own.name,
    wave: waveOf(desired) ?? '',
    maxUnavailable: settings.rolls.maxUnavailable,
  });
}

/** Also asks this process for jobs: two reconciles that read the status before either wrote it would both start one. */
function rolloutHost({ host, nodeReady }: FleetHost, jobs: HostJobs): RolloutHost {
  const { plan = {}, steps = [], job } = host.status ?? {};
  const here = jobs.of(host.metadata.name);
  const failing = failureIn({ steps });
  return {
    name: host.spec.desired?.nodeName ?? host.metadata.name,
    desired: waveOf(plan.desired),
    applied: waveOf(plan.applied),
    failed: waveOf(plan.failed),
    serves: host.status?.servedSince !== undefined,
    working: job !== undefined || (here?.kind === 'converge' && !isOver(here)),
    failingStep: failing?.step,
    postponed: isPostponed(steps),
    responds: host.status?.contact === undefined,
    nodeReady,
  };
}

const isPostponed = (steps: readonly HostStep[]): boolean =>
  stepsFor(steps, notDone.heldBack).length > 0 &&
  steps.every(
    ({ state, reason }) => state === 'Done' || reason === notDone.heldBack || reason === notDone.rebootPending,
  );

/** A tenth earlier or later, always the same for a host, so that a fleet is not inspected at once. */
const SPREAD = 0.1;

function inspectionTime(host: MacHost, every: Duration, jobs: HostJobs): number | undefined {
  const { appliedTime } = host.status?.plan ?? {};
  const last = Math.max(
    jobs.inspectedAt(host.metadata.name) ?? 0,
    appliedTime === undefined ? 0 : Date.parse(appliedTime),
  );
  if (every === 0 || last === 0) return undefined;
  const share = createHash('sha256').update(host.metadata.name).digest().readUInt32BE() / 2 ** 32;
  return last + every * (1 + SPREAD * (2 * share - 1));
}

const MISSING_RUNNER_INSPECTION = minutes(1);
const MISSING_RUNNER: readonly (string | undefined)[] = ['RunnerNotRegistered', 'RunnerOffline'];

/** A builder whose runner GitHub does not see is inspected more often: only its host shows why. */
function inspectEvery({ consumer }: HostScope, usual: Duration): Duration {
  const reason = consumer && findCondition(consumer, 'BuilderRunnerOnline')?.reason;
  if (!MISSING_RUNNER.includes(reason)) return usual;
  return usual === 0 || usual > MISSING_RUNNER_INSPECTION ? MISSING_RUNNER_INSPECTION : usual;
}

interface ServingWork {
  readonly scope: HostScope;
  readonly work: HostWork;
  readonly occupancy: Occupancy;
}

async function act(serving: ServingWork, decision: ServingDecision, deps: HandlerDeps): Promise<void> {
  const { scope, work, occupancy } = serving;
  const { job } = work;
  switch (decision.do) {
    case 'wait for the job':
      if (job) showProgress(scope, job);
      return;
    case 'record the job':
      if (job) await recordResult(scope, work, job, deps);
      return;
    case 'inspect':
      startJob(scope, work, { kind: 'inspect', allow: 'nothing', reboot: 'never' }, deps);
      return;
    case 'roll out':
    case 'repair': {
      const boots = decision.do === 'repair' && decision.boots === true;
      const only = decision.do === 'repair' && decision.only ? { only: decision.only } : {};
      const ready = await withRunnerToken(scope, work, only.only, deps);
      // Another host may have started while the token was requested.
      if (decision.do === 'roll out' && !permissionOf(scope, work.plan.desired, deps).go) return;
      const allowed = disturbanceFor(boots ? { ...occupancy, takesGuests: false } : occupancy);
      startJob(
        scope,
        ready,
        { kind: 'converge', ...allowed, ...only, mayReboot: () => isEmpty(scope, work, deps) },
        deps,
      );
      return;
    }
    case 'wait for the vendor':
    case 'wait for the next attempt':
    case 'wait for its turn':
    case 'wait for VMs to end':
    case 'nothing':
      return;
  }
}

/** An unknown state counts as work: a reboot can wait. Only the removal of the runner from GitHub proves that it has no job. */
async function isEmpty(
  { host, node }: HostScope,
  { desired }: HostWork,
  { client, forge }: HandlerDeps,
): Promise<boolean> {
  const { namespace = '' } = host.spec.consumerRef ?? {};
  const { nodeName: name, ghActionsRunner: spec } = desired;
  try {
    if ((await guestsOn(client, name)) > 0 || (await bakeOn({ namespace, name, spec, node }, forge)) !== undefined)
      return false;
    return spec === undefined || (await forge.remove(namespace, spec, name));
  } catch {
    return false;
  }
}
