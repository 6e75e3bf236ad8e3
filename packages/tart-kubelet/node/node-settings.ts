import { defineError } from '@minifleet/errors';

const NODE_TAINTS_REFUSED = defineError('NODE_TAINTS_REFUSED', {
  retry: 'operator',
  reason: 'NodeTaintsRefused',
  text: '--register-with-taints: "{taint}" is not a taint; use key=value:effect, separated by commas, with an effect of {effects}',
});

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: (typeof EFFECTS)[number];
}

const TAINT = /^((?:[a-z0-9][a-z0-9.-]*\/)?[A-Za-z0-9][\w.-]*)(?:=([\w.-]*))?:(\w+)$/;

/** Parses `key=value:effect,key:effect`, as kubelet does. */
export const parseNodeTaints = (text: string): NodeTaint[] =>
  text
    .split(',')
    .filter(taint => taint.trim() !== '')
    .map(taint => parseTaint(taint.trim()));

function parseTaint(taint: string): NodeTaint {
  const [, key, value, effect] = TAINT.exec(taint) ?? [];
  const known = EFFECTS.find(each => each === effect);
  if (key === undefined || !known) throw NODE_TAINTS_REFUSED({ taint, effects: EFFECTS.join(', ') });
  return { key, ...(value ? { value } : {}), effect: known };
}

/** Settings of the Node, from the flags. */
export interface NodeSettings {
  readonly name: string;
  /** `scw-applesilicon://<zone>/<id>`; set if a machine controller manages the Node. */
  readonly providerId?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Added to the taint that every Node gets. */
  readonly taints?: readonly NodeTaint[];
  readonly maxPods: number;
  /** Number of macOS guests that Apple allows at the same time. */
  readonly vmSlots: number;
  /** Overrides the Mac's own value. */
  readonly hostCpu?: number | undefined;
  readonly hostMemoryMegabytes?: number | undefined;
  /** `Macmini9,1` */
  readonly model?: string | undefined;
  readonly kubeletPort: number;
  /** The agent's version, as in package.json. */
  readonly version: string;
  readonly declaredFeatures: readonly string[];
}

export const VM_RESOURCE = 'minifleet.dev/macos-vm';

/**
 * Kubernetes version whose kubelet contract the agent implements; version skew rules compare it with the API server's.
 * The agent's own version is a label: Cluster API counts a Machine as up to date only if this is exactly the version of
 * its MachineDeployment.
 */
export const KUBELET_VERSION = 'v1.36.4';
