import { timestamp } from '@minifleet/clock';
import type { Node } from '@minifleet/kube';
import type { MacFacts } from '../host-facts/host-facts.ts';
import type { Finding } from './finding.ts';
import { type Findings, OWN_CONDITIONS, type OwnCondition } from './node-conditions.ts';
import { KUBELET_VERSION, type NodeSettings, VM_RESOURCE } from './node-settings.ts';

const UNITS = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** Bytes as the API server writes them back: the largest binary unit that divides them, in whole Ki. */
export function byteQuantity(bytes: number): string {
  let count = Math.floor(bytes / 1024);
  if (count === 0) return '0';
  let unit = 0;
  while (count % 1024 === 0 && unit < UNITS.length - 1) {
    count /= 1024;
    unit += 1;
  }
  return `${count}${UNITS[unit]}`;
}

export interface NodeImage {
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** Everything a status is computed from. */
export interface NodeView {
  readonly settings: NodeSettings;
  readonly facts: MacFacts;
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

/** A condition with its times, as the API has it. */
interface TimedCondition extends Finding {
  readonly type: string;
  readonly lastHeartbeatTime: string;
  readonly lastTransitionTime: string;
}

/** Our conditions as they go out now: every one has a heartbeat, and a transition only where the status changed. */
function timedConditions(findings: Findings, live: Node | undefined, now: number): TimedCondition[] {
  return OWN_CONDITIONS.map(type => {
    const { status, reason, message } = findings[type];
    const before = live?.status?.conditions?.find(condition => condition.type === type);
    const since = before?.status === status ? before.lastTransitionTime : undefined;
    const time = timestamp(now);
    return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: since ?? time };
  });
}

/** The status of a new Node. */
export const newStatus = (status: OwnStatus, now: number): object => ({
  ...status,
  conditions: timedConditions(status.conditions, undefined, now),
});

/**
 * The strategic merge patch for `nodes/status`. Conditions merge by type, so that foreign ones stay; addresses would
 * merge by type as well, and an old one of a type we no longer have would stay: they are replaced.
 */
export const statusPatch = (status: OwnStatus, live: Node, now: number): object => ({
  status: {
    ...status,
    addresses: [...status.addresses, { $patch: 'replace' }],
    conditions: timedConditions(status.conditions, live, now),
  },
});

/**
 * What of a live Node is ours, in a form that can be compared: foreign conditions and resources and all times are left out.
 */
export function ownPart(node: Node, status: OwnStatus): string {
  const live = node.status ?? {};
  const resources = (map: Readonly<Record<string, unknown>> = {}): unknown[] =>
    Object.keys(status.capacity).map(name => map[name]);
  return JSON.stringify([
    resources(live.capacity),
    resources(live.allocatable),
    live.addresses,
    live.daemonEndpoints,
    Object.keys(status.nodeInfo).map(name => (live.nodeInfo as Record<string, unknown> | undefined)?.[name]),
    live.images,
    live.declaredFeatures,
    OWN_CONDITIONS.map(type => findingOf(node, type)),
  ]);
}

function findingOf(node: Node, type: OwnCondition): Finding | undefined {
  const condition = node.status?.conditions?.find(candidate => candidate.type === type);
  if (!condition) return undefined;
  const { status, reason = '', message = '' } = condition;
  return { status: status as Finding['status'], reason, message };
}

/** What a Node says of itself now, for judging the next look. */
export function findingsOf(node: Node | undefined): Partial<Findings> {
  const found = OWN_CONDITIONS.map(type => [type, node && findingOf(node, type)] as const);
  return Object.fromEntries(found.filter(([, finding]) => finding));
}
