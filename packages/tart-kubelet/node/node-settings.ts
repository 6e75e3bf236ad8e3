import { defineError } from '@minifleet/errors';

const NODE_TAINTS_REFUSED = defineError('NODE_TAINTS_REFUSED', {
  retry: 'operator',
  reason: 'NodeTaintsRefused',
  text: '--register-with-taints: "{taint}" is no taint; write key=value:effect, with commas, and an effect of {effects}',
});

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: (typeof EFFECTS)[number];
}

const TAINT = /^((?:[a-z0-9][a-z0-9.-]*\/)?[A-Za-z0-9][\w.-]*)(?:=([\w.-]*))?:(\w+)$/;

/** Reads `key=value:effect,key:effect`, as a kubelet does. */
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

/** What the operator says of the Node: the flags, parsed. */
export interface NodeSettings {
  readonly name: string;
  /** `scw-applesilicon://<zone>/<id>`; with one, a machine controller is behind the Node. */
  readonly providerId?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Beside the one that every Node of ours has. */
  readonly taints?: readonly NodeTaint[];
  readonly maxPods: number;
  /** How many macOS guests Apple allows at once. */
  readonly vmSlots: number;
  /** Instead of what the Mac has. */
  readonly hostCpu?: number | undefined;
  readonly hostMemoryMegabytes?: number | undefined;
  readonly kubeletPort: number;
  /** Our own version, as in package.json. */
  readonly version: string;
  readonly declaredFeatures: readonly string[];
}

export const VM_RESOURCE = 'minifleet.dev/macos-vm';

/**
 * The Kubernetes whose kubelet contract we keep; skew rules compare it with the API server's. Our own version is a label:
 * core counts a Machine as up to date only if this is, to the letter, the version its MachineDeployment asks for.
 */
export const KUBELET_VERSION = 'v1.36.4';
