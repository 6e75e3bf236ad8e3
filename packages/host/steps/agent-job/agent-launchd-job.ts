import type { LaunchDaemon } from '../../launchd/launch-daemon.ts';
import { CURRENT } from '../agent-binary/agent-binary.ts';

/** Settings on the agent's command line. */
interface AgentCommandLine {
  readonly nodeName: string;
  readonly kubeconfig: string;
  readonly hostCpu?: number;
  readonly hostMemoryMb?: number;
  readonly maxPods?: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly providerId?: string;
  /** VMs of a builder belong to no Pod: the agent must never garbage-collect them. */
  readonly role: 'node' | 'builder';
}

/**
 * Keeps all Pods off a builder, even those that tolerate Macs. Set at registration, because a Node may not change its
 * own taints later.
 */
const BUILDER_TAINT = 'minifleet.dev/builder=true:NoSchedule';

const MAX_PODS = 3;

const KUBECONFIG_FLAG = '--kubeconfig=';

/**
 * Renders the agent's flags, at the first bootstrap and at every rollout, so that none is lost (I29). Deterministic:
 * labels are sorted.
 */
export function agentArguments(spec: AgentCommandLine): string[] {
  const labels = Object.keys(spec.labels)
    .sort()
    .map(key => `${key}=${spec.labels[key]}`);
  return [
    `--node-name=${spec.nodeName}`,
    `${KUBECONFIG_FLAG}${spec.kubeconfig}`,
    // Otherwise the agent reports the Mac's own. 0 means unset.
    ...(spec.hostCpu ? [`--host-cpu=${spec.hostCpu}`] : []),
    ...(spec.hostMemoryMb ? [`--host-memory-mb=${spec.hostMemoryMb}`] : []),
    `--max-pods=${spec.maxPods || MAX_PODS}`,
    ...(labels.length > 0 ? [`--node-labels=${labels.join(',')}`] : []),
    ...(spec.providerId ? [`--provider-id=${spec.providerId}`] : []),
    ...(spec.role === 'builder' ? ['--disable-vm-gc', `--register-with-taints=${BUILDER_TAINT}`] : []),
  ];
}

/** HOME is where Tart stores its VMs. PATH finds the Tart wrapper first, then the Homebrew tools of a builder. */
export const agentEnvironment = (user: string): Readonly<Record<string, string>> => ({
  HOME: `/Users/${user}`,
  PATH: '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin',
});

/** Directory that the agent writes to. */
interface AgentDirectory {
  readonly path: string;
  readonly owner: string;
}

export interface AgentJob {
  readonly label: string;
  /** The GUI account: Tart starts macOS guests for no other account. */
  readonly user: string;
  /** SHA-256 of the program in its slot. */
  readonly binary: string;
  /** From `agentArguments`. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directories: readonly AgentDirectory[];
  readonly logFile: string;
}

export const AGENT_LABEL = 'dev.tuist.tart-kubelet';

/** Command for operators and launchd: a link to the program in the current slot. */
export const AGENT_COMMAND = '/usr/local/bin/tart-kubelet';
export const AGENT_COMMAND_TARGET = `${CURRENT}/tart-kubelet`;

const THROTTLE_SECONDS = 10;

/** The launchd job. Its command is a link, so a rollout to another slot does not change these bytes. */
export const daemonOf = (want: AgentJob): LaunchDaemon => ({
  label: want.label,
  arguments: [AGENT_COMMAND, ...want.arguments],
  user: want.user,
  environment: want.environment,
  keepAlive: true,
  throttleSeconds: THROTTLE_SECONDS,
  logFile: want.logFile,
});

/** File that `agent-credentials` writes. */
export const kubeconfigOf = (want: AgentJob): string =>
  want.arguments.find(argument => argument.startsWith(KUBECONFIG_FLAG))?.slice(KUBECONFIG_FLAG.length) ?? '';

/** Paths that the agent's user must own: launchd itself opens the log as that user (EX_CONFIG otherwise). */
export const ownedPaths = (want: AgentJob): readonly (AgentDirectory & { readonly kind: 'directory' | 'file' })[] => [
  ...want.directories.map(directory => ({ ...directory, kind: 'directory' as const })),
  { path: want.logFile, owner: `${want.user}:staff`, kind: 'file' },
];
