import type { HostFacts } from '../host-facts/host-facts.ts';
import type { Findings } from './node-conditions.ts';
import { KUBELET_VERSION, type NodeSettings, VM_RESOURCE } from './node-settings.ts';
import { byteQuantity } from './quantity.ts';

export interface NodeImage {
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** Everything a status is computed from. */
export interface NodeView {
  readonly settings: NodeSettings;
  readonly facts: HostFacts;
  readonly findings: Findings;
  readonly address: string | undefined;
  readonly diskBytes: number | undefined;
  readonly tartVersion: string | undefined;
  readonly images: readonly NodeImage[];
}

/** Our whole opinion of a Node's status, without times. */
export interface OwnStatus {
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly daemonEndpoints: { readonly kubeletEndpoint: { readonly Port: number } };
  readonly nodeInfo: Readonly<Record<string, string>>;
  readonly images: readonly NodeImage[];
  readonly declaredFeatures: readonly string[];
  readonly conditions: Findings;
}

/** As every kubelet: more would make the Node too large. */
const MOST_IMAGES = 50;

export function nodeStatus(view: NodeView): OwnStatus {
  const { settings, findings } = view;
  const capacity = nodeCapacity(view);
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      ...(view.address ? [{ type: 'InternalIP', address: view.address }] : []),
      { type: 'Hostname', address: settings.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: settings.kubeletPort } },
    nodeInfo: nodeInfo(view),
    images: view.images.slice(0, MOST_IMAGES),
    declaredFeatures: [...settings.declaredFeatures].sort(),
    conditions: findings,
  };
}

function nodeCapacity({ settings, facts, diskBytes }: NodeView): Record<string, string> {
  const memory = settings.hostMemoryMegabytes ? settings.hostMemoryMegabytes * 2 ** 20 : facts.memoryBytes;
  return {
    cpu: String(settings.hostCpu ?? facts.cpus),
    memory: byteQuantity(memory),
    pods: String(settings.maxPods),
    [VM_RESOURCE]: String(settings.vmSlots),
    ...(diskBytes === undefined ? {} : { 'ephemeral-storage': byteQuantity(diskBytes) }),
  };
}

const nodeInfo = ({ facts, tartVersion = 'unknown' }: NodeView): Record<string, string> => ({
  machineID: facts.machineId,
  systemUUID: facts.machineId,
  bootID: facts.bootId,
  kernelVersion: facts.kernelVersion,
  osImage: `macOS ${facts.macosVersion} (${facts.macosBuild})`,
  containerRuntimeVersion: `tart://${tartVersion}`,
  kubeletVersion: KUBELET_VERSION,
  // There is no kube-proxy on a Mac; the field wants to be there all the same.
  kubeProxyVersion: '',
  operatingSystem: 'darwin',
  architecture: 'arm64',
});
