import { createPlan, type Plan } from '../engine/plan.ts';
import { type PlannedStep, planRemoval, planStep, type StepDefinition } from '../engine/step.ts';
import { type ActionsRunnerSettings, actionsRunner } from '../steps/actions-runner/actions-runner.ts';
import { agentBinary } from '../steps/agent-binary/agent-binary.ts';
import { agentCredentials } from '../steps/agent-credentials/agent-credentials.ts';
import { AGENT_DIRECTORIES, AGENT_LOG, KUBECONFIG } from '../steps/agent-data/agent-data.ts';
import { agentJob } from '../steps/agent-job/agent-job.ts';
import { AGENT_LABEL, type AgentJob, agentArguments, agentEnvironment } from '../steps/agent-job/agent-launchd-job.ts';
import { autoLogin } from '../steps/auto-login/auto-login.ts';
import { buildCache } from '../steps/build-cache/build-cache.ts';
import { builderTools } from '../steps/builder-tools/builder-tools.ts';
import { guestDhcpLease } from '../steps/guest-dhcp-lease/guest-dhcp-lease.ts';
import { homebrew } from '../steps/homebrew/homebrew.ts';
import { hostname } from '../steps/hostname/hostname.ts';
import { localNetwork } from '../steps/local-network/local-network.ts';
import { logRotation } from '../steps/log-rotation/log-rotation.ts';
import { neverSleep } from '../steps/never-sleep/never-sleep.ts';
import { sudo } from '../steps/sudo/sudo.ts';
import { tart } from '../steps/tart/tart.ts';
import { DEFAULT_BLOCKED, DEFAULT_GUESTS, type VmEgressSettings } from '../steps/vm-egress/egress-spec.ts';
import { vmEgress } from '../steps/vm-egress/vm-egress.ts';
import { xcode } from '../steps/xcode/xcode.ts';
import type { AgentSpec, EgressSpec, HostSpec, LogRotationSpec, PerHostSpec, RunnerSpec } from './host-spec.ts';

/** Steps that allow workloads: a Node gets Pods and a runner gets jobs as soon as these steps are done. */
export const WORKLOAD_STEPS: readonly string[] = [agentJob.id, actionsRunner.id];

/** Steps of the node agent: its program, its credentials, its job. */
function agentSteps(spec: HostSpec): PlannedStep[] {
  const { agent } = spec.fleet;
  const { kubeconfig, user } = spec.host;
  const credentials = kubeconfig && { path: KUBECONFIG, content: kubeconfig, owner: `${user}:staff`, mode: 0o600 };
  return [
    ...stepOrRemoval(agentBinary, agent && { artifact: agent.binary }),
    // Without a kubeconfig in the spec, the file on the host belongs to the agent, which may have rotated it.
    ...(agent && credentials === undefined ? [] : stepOrRemoval(agentCredentials, agent && credentials)),
    ...stepOrRemoval(agentJob, agent && jobOf(spec, agent)),
  ];
}

function jobOf({ fleet, host }: HostSpec, agent: AgentSpec): AgentJob {
  const { hostCpu, hostMemoryMb, maxPods } = agent;
  const { name, user, providerId } = host;
  const labels = { ...fleet.labels, ...host.labels };
  return {
    label: AGENT_LABEL,
    user,
    binary: agent.binary.sha256,
    arguments: agentArguments({
      nodeName: name,
      kubeconfig: KUBECONFIG,
      labels,
      role: fleet.builder ? 'builder' : 'node',
      ...(hostCpu !== undefined && { hostCpu }),
      ...(hostMemoryMb !== undefined && { hostMemoryMb }),
      ...(maxPods !== undefined && { maxPods }),
      ...(providerId !== undefined && { providerId }),
    }),
    environment: agentEnvironment(user),
    directories: AGENT_DIRECTORIES.map(path => ({ path, owner: `${user}:staff` })),
    logFile: AGENT_LOG,
  };
}

/** RFC 1918: guests and all other local networks of a builder. */
export const PRIVATE_NETWORKS: readonly string[] = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
const LEASE_SECONDS = 600;
const LOGS = { files: [AGENT_LOG], maxBytes: 50_000_000, keep: 5 };

/**
 * All steps of a host in order. Sudo is first because all others need root. The login comes before everything that runs
 * in the session, the firewall before the agent that starts guests, and the runner last because it takes jobs.
 */
export function hostPlan(spec: HostSpec): Plan {
  const { fleet, host } = spec;
  const { user, password, name } = host;
  const localNetworks = valueOrDefault(fleet.localNetwork, PRIVATE_NETWORKS);
  const leaseSeconds = valueOrDefault(fleet.guestLeaseSeconds, LEASE_SECONDS);
  const egress = valueOrDefault<EgressSpec>(fleet.egress, {});
  const logs = valueOrDefault<LogRotationSpec>(fleet.logRotation, {});
  return createPlan([
    planStep(sudo, { user, password }),
    planStep(autoLogin, { user, password }),
    planStep(neverSleep, {}),
    planStep(hostname, { name }),
    ...stepOrRemoval(localNetwork, localNetworks && { addresses: localNetworks }),
    ...stepOrRemoval(guestDhcpLease, leaseSeconds === undefined ? undefined : { seconds: leaseSeconds }),
    ...stepOrRemoval(tart, fleet.tart),
    ...stepOrRemoval(vmEgress, egress && egressOf(egress)),
    ...agentSteps(spec),
    ...stepOrRemoval(logRotation, logs && { ...LOGS, ...logs }),
    ...builderSteps(spec),
  ]);
}

/** `undefined` means the default, `false` means off. */
const valueOrDefault = <T>(given: T | false | undefined, usual: T): T | undefined =>
  given === false ? undefined : (given ?? usual);

const egressOf = ({
  guests = DEFAULT_GUESTS,
  blocked = DEFAULT_BLOCKED,
  allow = [],
}: EgressSpec): VmEgressSettings => ({
  guests,
  blocked,
  allow,
});

/** Steps of an image builder. The runner is last because it takes jobs as soon as it runs. */
function builderSteps({ fleet: { builder }, host }: HostSpec): PlannedStep[] {
  const { user } = host;
  return [
    ...stepOrRemoval(homebrew, builder && { installer: builder.homebrewInstaller || undefined }),
    ...stepOrRemoval(builderTools, builder && { formulae: builder.formulae }),
    ...stepOrRemoval(xcode, builder?.xcode),
    ...stepOrRemoval(buildCache, builder && { ...builder.buildCache, owner: user }),
    ...stepOrRemoval(actionsRunner, builder && runnerSettings(builder.runner, host)),
  ];
}

function runnerSettings(runner: RunnerSpec, { name, user, runnerToken: token }: PerHostSpec): ActionsRunnerSettings {
  const { url, labels = [] } = runner;
  if (url === undefined) throw new Error('the plan of a builder needs the URL of its runner');
  return { ...runner, url, labels, name, token, user };
}

/**
 * The step with its desired value, or its removal without one, so that turning a feature off also converges. Steps
 * without a removal (Homebrew, Xcode) are then left alone.
 */
function stepOrRemoval<Want>(step: StepDefinition<Want>, want: Want | undefined): PlannedStep[] {
  if (want !== undefined) return [planStep(step, want)];
  const { removal } = step;
  return removal ? [planRemoval({ ...step, removal })] : [];
}
