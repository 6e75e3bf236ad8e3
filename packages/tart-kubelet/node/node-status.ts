import { timestamp } from '@minifleet/clock';
import type { Node } from '@minifleet/kube';
import type { MacFacts } from '../host-facts/host-facts.ts';
import type { NodeFinding } from './finding.ts';
import { DISK_PRESSURE_BELOW, type NodeFindings, OWN_CONDITIONS, type OwnCondition } from './node-conditions.ts';
import { KUBELET_VERSION, type NodeSettings, VM_RESOURCE } from './node-settings.ts';

const UNITS = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** Formats bytes as the API server returns them: the largest binary unit that divides them, in whole Ki. */
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

/** Input of a Node's status. */
export interface NodeStatusInput {
  readonly settings: NodeSettings;
  readonly facts: MacFacts;
  readonly findings: NodeFindings;
  readonly address: string | undefined;
  readonly diskBytes: number | undefined;
  readonly tartVersion: string | undefined;
  readonly images: readonly NodeImage[];
}

/** The status fields that the agent owns, without times. */
export interface OwnedNodeStatus {
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly daemonEndpoints: { readonly kubeletEndpoint: { readonly Port: number } };
  readonly nodeInfo: Readonly<Record<string, string>>;
  readonly images: readonly NodeImage[];
  readonly declaredFeatures: readonly string[];
  readonly conditions: NodeFindings;
}

/** kubelet's limit: more would make the Node too large. */
const MAX_IMAGES = 50;

export function nodeStatus(input: NodeStatusInput): OwnedNodeStatus {
  const { settings, findings } = input;
  const capacity = nodeCapacity(input);
  return {
    capacity,
    allocatable: nodeAllocatable(input, capacity),
    addresses: [
      ...(input.address ? [{ type: 'InternalIP', address: input.address }] : []),
      { type: 'Hostname', address: settings.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: settings.kubeletPort } },
    nodeInfo: nodeInfo(input),
    images: input.images.slice(0, MAX_IMAGES),
    declaredFeatures: [...settings.declaredFeatures].sort(),
    conditions: findings,
  };
}

function nodeCapacity({ settings, facts, diskBytes }: NodeStatusInput): Record<string, string> {
  const memory = settings.hostMemoryMegabytes ? settings.hostMemoryMegabytes * 2 ** 20 : facts.memoryBytes;
  return {
    cpu: String(settings.hostCpu ?? facts.cpus),
    memory: byteQuantity(memory),
    pods: String(settings.maxPods),
    [VM_RESOURCE]: String(settings.vmSlots),
    ...(diskBytes === undefined ? {} : { 'ephemeral-storage': byteQuantity(diskBytes) }),
  };
}

function nodeAllocatable(input: NodeStatusInput, capacity: Readonly<Record<string, string>>): Record<string, string> {
  const { diskBytes } = input;
  return {
    ...capacity,
    memory: byteQuantity(allocatableMemory(input)),
    ...(diskBytes === undefined ? {} : { 'ephemeral-storage': byteQuantity(allocatableDisk(diskBytes)) }),
  };
}

/** Memory that macOS and Tart need beside the VMs. A VM whose memory is swapped out stalls its job. */
const RESERVED_MEMORY = 2 * 2 ** 30;

/** Memory for VMs. An operator who states the memory of the Node has left out what macOS needs. */
function allocatableMemory({ settings, facts }: NodeStatusInput): number {
  const { hostMemoryMegabytes } = settings;
  return hostMemoryMegabytes ? hostMemoryMegabytes * 2 ** 20 : Math.max(0, facts.memoryBytes - RESERVED_MEMORY);
}

/** Disk space that macOS needs: its system volumes, swap, update snapshots and logs. They share the volume of the VMs. */
const RESERVED_DISK = 32 * 2 ** 30;

/**
 * Disk space for Pods. As in kubelet, neither the system's share nor the share below the eviction threshold is
 * allocatable. Images are not subtracted, because garbage collection removes them when the volume fills up.
 */
const allocatableDisk = (bytes: number): number => Math.max(0, bytes * (1 - DISK_PRESSURE_BELOW) - RESERVED_DISK);

const nodeInfo = ({ facts, tartVersion = 'unknown' }: NodeStatusInput): Record<string, string> => ({
  machineID: facts.machineId,
  systemUUID: facts.machineId,
  bootID: facts.bootId,
  kernelVersion: facts.kernelVersion,
  osImage: `macOS ${facts.macosVersion} (${facts.macosBuild})`,
  containerRuntimeVersion: `tart://${tartVersion}`,
  kubeletVersion: KUBELET_VERSION,
  // There is no kube-proxy on a Mac, but the field is required.
  kubeProxyVersion: '',
  operatingSystem: 'darwin',
  architecture: 'arm64',
});

/** A condition with its times, as in the API. */
interface TimedNodeCondition extends NodeFinding {
  readonly type: string;
  readonly lastHeartbeatTime: string;
  readonly lastTransitionTime: string;
}

/** Adds times to the owned conditions: each has a heartbeat, and a new transition time only if its status changed. */
function timedConditions(findings: NodeFindings, live: Node | undefined, now: number): TimedNodeCondition[] {
  return OWN_CONDITIONS.map(type => {
    const { status, reason, message } = findings[type];
    const before = live?.status?.conditions?.find(condition => condition.type === type);
    const since = before?.status === status ? before.lastTransitionTime : undefined;
    const time = timestamp(now);
    return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: since ?? time };
  });
}

/** Status of a new Node. */
export const newStatus = (status: OwnedNodeStatus, now: number): object => ({
  ...status,
  conditions: timedConditions(status.conditions, undefined, now),
});

/**
 * Strategic merge patch for `nodes/status`. Conditions merge by type, so foreign ones stay. Addresses would also merge
 * by type, and an old one of a removed type would stay, so they are replaced.
 */
export const statusPatch = (status: OwnedNodeStatus, live: Node, now: number): object => ({
  status: {
    ...status,
    addresses: [...status.addresses, { $patch: 'replace' }],
    conditions: timedConditions(status.conditions, live, now),
  },
});

/**
 * Comparable form of the fields of a live Node that the agent owns: without foreign conditions and resources, and
 * without times.
 */
export function ownPart(node: Node, status: OwnedNodeStatus): string {
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

function findingOf(node: Node, type: OwnCondition): NodeFinding | undefined {
  const condition = node.status?.conditions?.find(candidate => candidate.type === type);
  if (!condition) return undefined;
  const { status, reason = '', message = '' } = condition;
  return { status: status as NodeFinding['status'], reason, message };
}

/** Conditions of the live Node, for the next evaluation. */
export function findingsOf(node: Node | undefined): Partial<NodeFindings> {
  const found = OWN_CONDITIONS.map(type => [type, node && findingOf(node, type)] as const);
  return Object.fromEntries(found.filter(([, finding]) => finding));
}
