import { timestamp } from '@minifleet/clock';
import { WORKLOAD_STEPS } from '@minifleet/host';
import { setCondition } from '@minifleet/kube';
import { bootstrappingCondition } from '../bootstrap-condition.ts';
import { foreignName, isListedAsForeign, leaveToOthers, named } from '../foreign-host.ts';
import type { HandlerDeps, HostScope, StateHandler, StateResult } from '../host-scope.ts';
import { isOver, jobStateOf } from '../jobs/host-job.ts';
import { journalOf } from '../journal.ts';
import { servesAlready } from '../taken-over.ts';
import {
  missingCredentials,
  prepareWork,
  recordFailure,
  recordResult,
  showProgress,
  startJob,
  withRunnerToken,
} from '../work.ts';
import { type BootstrapDecision, decideBootstrap, failuresOn } from './bootstrapping.ts';

/** Applies the first plan of a machine, with restart, reinstallation and giving up as remedies. */
export const bootstrapping: StateHandler = async (scope, deps) => {
  const { host, server, vendor } = scope;
  const { clock } = deps;
  const foreign = isListedAsForeign(scope) ? await foreignName(scope) : undefined;
  if (foreign !== undefined) return leaveToOthers('Bootstrapping', scope, deps, named(foreign));
  const current = deps.jobs.of(host.metadata.name);
  // The job has its credentials and its plan, so nothing is read for it.
  if (current && !isOver(current)) {
    showProgress(scope, current);
    return report(scope, { do: 'wait for the job' }, deps);
  }
  // An installation changes the password, and the vendor returns the old one until it is done.
  if (server?.state !== 'ready') return report(scope, { do: 'wait for the vendor' }, deps);
  const work = await prepareWork(scope, deps);
  if (!work) return missingCredentials('Bootstrapping', host);
  if (servesAlready(scope)) {
    host.status = { ...host.status, servedSince: timestamp(clock.now()) };
    return { ready: false, reason: 'NotReady', message: 'Bootstrapping: the host serves already' };
  }
  const { job } = work;
  const decision = decideBootstrap({
    now: clock.now(),
    journal: journalOf(host.status),
    remedies: host.status?.remedies ?? {},
    job: jobStateOf(job),
    server: server?.state ?? 'busy',
    canRestart: vendor?.can.reboot === true,
    canReinstall: vendor?.can.reinstall === true,
    acceptedKey: work.access.hostKey !== undefined,
    settings: deps.settings.bootstrap,
  });
  switch (decision.do) {
    case 'wait for the job':
      if (job) showProgress(scope, job);
      break;
    case 'record the job':
      if (job) await recordResult(scope, work, job, deps);
      break;
    case 'bootstrap':
      startJob(
        scope,
        await withRunnerToken(scope, work, undefined, deps),
        { kind: 'converge', allow: 'running VMs', reboot: 'when needed', finalSteps: WORKLOAD_STEPS },
        deps,
      );
      break;
    case 'restart':
    case 'reinstall':
    case 'give up':
      requestRemedy(scope, decision, deps);
      break;
    case 'wait for the vendor':
    case 'wait for the next attempt':
      break;
  }
  return report(scope, decision, deps);
};

function report({ host, server }: HostScope, decision: BootstrapDecision, { clock, jobs }: HandlerDeps): StateResult {
  const { again, ...condition } = bootstrappingCondition(decision, {
    now: clock.now(),
    journal: journalOf(host.status),
    job: jobs.of(host.metadata.name),
    vendorState: server?.stateWord ?? 'unknown',
    bake: undefined,
  });
  setCondition(host, { type: 'HostBootstrapped', ...condition }, clock);
  const message = `Bootstrapping: ${condition.reason}: ${condition.message}`;
  return { ready: false, reason: 'NotReady', message, ...(again === undefined ? {} : { again }) };
}

/** Writes the request. The next reconcile finds the host in another state and acts. */
function requestRemedy(
  scope: HostScope,
  decision: Extract<BootstrapDecision, { readonly do: 'restart' | 'reinstall' | 'give up' }>,
  deps: HandlerDeps,
): void {
  const { host } = scope;
  const requested = {
    requestTime: timestamp(deps.clock.now()),
    attempts: failuresOn(journalOf(host.status), () => true),
  };
  if (decision.do === 'give up') recordFailure(scope, deps);
  const remedy = decision.do === 'give up' ? 'giveUp' : decision.do;
  host.status = { ...host.status, remedies: { ...host.status?.remedies, [remedy]: requested } };
}
