import { timestamp } from '@minifleet/clock';
import type { Node } from '@minifleet/kube';
import type { Finding } from './finding.ts';
import { type Findings, OWN_CONDITIONS, type OwnCondition } from './node-conditions.ts';
import type { OwnStatus } from './node-status.ts';

/** A condition with its times, as the API has it. */
export interface TimedCondition extends Finding {
  readonly type: string;
  readonly lastHeartbeatTime: string;
  readonly lastTransitionTime: string;
}

/** Our conditions as they go out now: every one has a heartbeat, and a transition only where the status changed. */
export function timedConditions(findings: Findings, live: Node | undefined, now: number): TimedCondition[] {
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
