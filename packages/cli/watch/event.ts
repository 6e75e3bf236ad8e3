import type { KubeEvent } from '@minifleet/kube';
import type { EntityKind, EntitySnapshot } from './entity.ts';

/** What each kind of object is a part of. */
const PART_OF: Readonly<Record<string, EntityKind>> = {
  ScalewayAppleSiliconMachine: 'host',
  Machine: 'host',
  Node: 'host',
  HostClaim: 'host',
  MachineDeployment: 'fleet',
  RunnerPool: 'pool',
};

/** Whether an event is about it, or about something that belongs to it. */
export function isAbout({ regarding }: KubeEvent, { kind, namespace, calledBy }: EntitySnapshot): boolean {
  if (PART_OF[regarding?.kind ?? ''] !== kind || !calledBy.includes(regarding?.name ?? '')) return false;
  return CLUSTER_WIDE.includes(regarding?.kind ?? '') || regarding?.namespace === namespace;
}

/** A kubelet writes a Node's name where others have a namespace. */
const CLUSTER_WIDE: readonly string[] = ['Node', 'HostClaim'];

/** `minifleet break` tells of itself. */
export const isBreak = ({ type, reason }: KubeEvent): boolean => type === 'Warning' && reason === 'Broken';

export const timeOf = ({ eventTime, metadata }: KubeEvent): number =>
  Date.parse(eventTime ?? metadata.creationTimestamp ?? '');
