import type { PlannedStep } from '../engine/step.ts';
import { agentBinary } from '../steps/agent-binary/agent-binary.ts';
import { agentCredentials } from '../steps/agent-credentials/agent-credentials.ts';
import { agentArguments, agentEnvironment } from '../steps/agent-job/agent-arguments.ts';
import { agentJob } from '../steps/agent-job/agent-job.ts';
import { AGENT_LABEL, type AgentJob } from '../steps/agent-job/agent-want.ts';
import type { AgentSpec, HostSpec } from './host-spec.ts';
import { wantedOrOff } from './wanted-or-off.ts';

export const AGENT_LOG = '/var/log/tart-kubelet.log';
const KUBECONFIG = '/etc/tart-kubelet/kubeconfig';
/** Where the agent keeps its records and its logs: it runs as the user at the screen, who may not make them there. */
export const AGENT_DIRECTORIES = ['/var/lib/tart-kubelet', '/var/log/tart-kubelet'] as const;

/** The node agent: its program first, then what it logs in with, then the job that runs it. */
export function agentSteps(spec: HostSpec): PlannedStep[] {
  const { agent } = spec.fleet;
  const { kubeconfig, user } = spec.host;
  const credentials = kubeconfig && { path: KUBECONFIG, content: kubeconfig, owner: `${user}:staff`, mode: 0o600 };
  return [
    ...wantedOrOff(agentBinary, agent && { artifact: agent.binary }),
    // Without one given, what lies on the host is the agent's own: it may have rotated it.
    ...(agent && credentials === undefined ? [] : wantedOrOff(agentCredentials, agent && credentials)),
    ...wantedOrOff(agentJob, agent && jobOf(spec, agent)),
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
