import type { LaunchDaemon } from '../../launchd/launch-daemon.ts';
import { CURRENT } from '../agent-binary/agent-binary.ts';

/** Everything of a host that stands on its agent's command line. */
interface AgentFlags {
  readonly nodeName: string;
  readonly kubeconfig: string;
  readonly hostCpu?: number;
  readonly hostMemoryMb?: number;
  readonly maxPods?: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly providerId?: string;
  /** A builder's VMs belong to no Pod: the agent must never collect them. */
  readonly role: 'node' | 'builder';
}

/** No Pod may come to a builder, not even one that tolerates Macs. Given at registration: later a Node may not change its own. */
const BUILDER_TAINT = 'minifleet.dev/builder=true:NoSchedule';

/** What a host offers when nobody says; 0 counts as nobody. */
const DEFAULTS = { hostCpu: 8, hostMemoryMb: 16_384, maxPods: 3 };

/**
 * The agent's flags: the only place that renders them, at the first bootstrap and at every roll, so that none can be lost
 * on the way (I29). The same spec gives the same list: labels are sorted.
 */
export function agentArguments(spec: AgentFlags): string[] {
  const labels = Object.keys(spec.labels)
    .sort()
    .map(key => `${key}=${spec.labels[key]}`);
  return [
    `--node-name=${spec.nodeName}`,
    `--kubeconfig=${spec.kubeconfig}`,
    `--host-cpu=${spec.hostCpu || DEFAULTS.hostCpu}`,
    `--host-memory-mb=${spec.hostMemoryMb || DEFAULTS.hostMemoryMb}`,
    `--max-pods=${spec.maxPods || DEFAULTS.maxPods}`,
    ...(labels.length > 0 ? [`--node-labels=${labels.join(',')}`] : []),
    ...(spec.providerId ? [`--provider-id=${spec.providerId}`] : []),
    ...(spec.role === 'builder' ? ['--disable-vm-gc', `--register-with-taints=${BUILDER_TAINT}`] : []),
  ];
}

/** HOME is where Tart keeps its VMs; PATH finds Tart's wrapper first, then what a builder has from Homebrew. */
export const agentEnvironment = (user: string): Readonly<Record<string, string>> => ({
  HOME: `/Users/${user}`,
  PATH: '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin',
});

/** A folder the agent writes into. */
interface AgentDirectory {
  readonly path: string;
  readonly owner: string;
}

export interface AgentJob {
  readonly label: string;
  /** The account at the screen: Tart starts no macOS guest for anyone else. */
  readonly user: string;
  /** SHA-256 of the program `agent-binary` put into its slot. */
  readonly binary: string;
  /** From `agentArguments`. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directories: readonly AgentDirectory[];
  readonly logFile: string;
}

export const AGENT_LABEL = 'dev.tuist.tart-kubelet';

/** What people and launchd call: a link to the program in the current slot. */
export const AGENT_COMMAND = '/usr/local/bin/tart-kubelet';
export const AGENT_COMMAND_TARGET = `${CURRENT}/tart-kubelet`;

const THROTTLE_SECONDS = 10;

/** The job as launchd is to hold it. The command is a link, so a roll to another slot leaves these bytes as they are. */
export const daemonOf = (want: AgentJob): LaunchDaemon => ({
  label: want.label,
  arguments: [AGENT_COMMAND, ...want.arguments],
  user: want.user,
  environment: want.environment,
  keepAlive: true,
  throttleSeconds: THROTTLE_SECONDS,
  logFile: want.logFile,
});

/** What the agent writes to must belong to it: launchd itself opens the log as the agent's user (EX_CONFIG otherwise). */
export const ownedPaths = (want: AgentJob): readonly (AgentDirectory & { readonly kind: 'directory' | 'file' })[] => [
  ...want.directories.map(directory => ({ ...directory, kind: 'directory' as const })),
  { path: want.logFile, owner: `${want.user}:staff`, kind: 'file' },
];
