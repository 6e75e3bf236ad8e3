/** Everything of a host that stands on its agent's command line. */
export interface AgentSpec {
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
export function agentArguments(spec: AgentSpec): string[] {
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
