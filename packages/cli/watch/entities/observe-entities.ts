import type { MacHost, RunnerPool } from '@minifleet/api';
import { type Condition, deleting, findCondition, isConditionTrue, type Node } from '@minifleet/kube';
import { hostOf, hostOfNode, type InfraMachine, nameOf, type OwnerMachine, ownerOf } from '../../cluster/machines.ts';
import type { FleetMachineDeployment } from '../../cluster/resources.ts';
import { isFleet } from '../../get/kinds/fleets.ts';
import type { EntityProblem, EntitySnapshot } from '../entity.ts';
import { hostSnapshot } from './host-snapshot.ts';
import { macSnapshot } from './mac-snapshot.ts';
import { latestOf, transitionsOf } from './transition-times.ts';

/** Watched objects. Lists that the user may not read are empty. */
export interface WatchedObjects {
  /** Machines of both kinds. */
  readonly machines: readonly InfraMachine[];
  readonly hosts: readonly MacHost[];
  readonly nodes: readonly Node[];
  readonly ownerMachines: readonly OwnerMachine[];
  readonly deployments: readonly FleetMachineDeployment[];
  readonly pools: readonly RunnerPool[];
  /** Server ids of hosts whose Node was observed before. */
  readonly joined: ReadonlySet<string>;
}

/** Returns snapshots of all machines, MacHosts, fleets and pools. With names, only of the machines and MacHosts with these names. */
export function observeEntities(
  objects: WatchedObjects,
  names: readonly string[],
  namespace?: string,
): EntitySnapshot[] {
  const { machines, hosts: all, nodes, ownerMachines, deployments, pools, joined } = objects;
  const nodeOf = new Map(nodes.map(node => [hostOfNode(node), node]));
  const macOf = new Map(all.map(host => [host.spec.consumerRef?.uid, host]));
  const ownerMachineOf = new Map(ownerMachines.map(owner => [nameOf(owner), owner]));
  const hosts = machines.map(machine => {
    const host = hostOf(machine);
    return hostSnapshot({
      machine,
      mac: macOf.get(machine.metadata.uid),
      node: host === undefined ? undefined : nodeOf.get(host),
      joined: host !== undefined && joined.has(host),
      ownerMachine: ownerMachineOf.get(`${machine.metadata.namespace}/${ownerOf(machine)?.name}`),
    });
  });
  const macs = all.map(host => macSnapshot(host, { node: nodeOf.get(host.metadata.name), namespace }));
  if (names.length > 0) return [...hosts, ...macs].filter(({ aliases }) => aliases.some(name => names.includes(name)));
  return [...hosts, ...macs, ...deployments.filter(isFleet).map(fleetSnapshot), ...pools.map(poolSnapshot)];
}

/** A fleet is healthy while it is Available. A fleet that never was Available is starting, however long that takes. */
function fleetSnapshot(fleet: FleetMachineDeployment): EntitySnapshot {
  const { name, namespace = '', creationTimestamp = '' } = fleet.metadata;
  const available = findCondition(fleet, 'Available');
  const short = available?.status === 'False' ? available : undefined;
  const problems = short
    ? [
        {
          source: 'Available',
          label: 'not Available',
          message: short.message,
          since: Date.parse(short.lastTransitionTime),
        },
      ]
    : [];
  return {
    ...{ key: `fleet ${nameOf(fleet)}`, kind: 'fleet', namespace, name, problems },
    ...{ aliases: [name], state: stateOf(fleet), phase: '', message: '', syncedSteps: [] },
    served: false,
    createdAt: Date.parse(creationTimestamp),
    changedAt: latestOf(transitionsOf(fleet)),
  };
}

function stateOf(fleet: FleetMachineDeployment): EntitySnapshot['state'] {
  if (deleting(fleet)) return 'deleting';
  if (isConditionTrue(fleet, 'Paused')) return 'paused';
  return isConditionTrue(fleet, 'Available') ? 'healthy' : 'starting';
}

/** Reasons that are not a problem: runners start and end with every job. */
const EXPECTED_REASONS: readonly string[] = ['Starting', 'NotChecked', 'Deleting'];

/** A pool is unhealthy if jobs wait for more than the next runner. */
function poolSnapshot(pool: RunnerPool): EntitySnapshot {
  const { name, namespace = '', creationTimestamp = '' } = pool.metadata;
  const problems = [
    ...problemOf(findCondition(pool, 'ForgeReachable'), 'False'),
    ...problemOf(findCondition(pool, 'Ready'), 'False'),
    ...problemOf(findCondition(pool, 'PodsTerminating'), 'True'),
  ];
  const state = problems.length > 0 ? 'unhealthy' : 'healthy';
  return {
    ...{ key: `pool ${nameOf(pool)}`, kind: 'pool', namespace, name, problems },
    ...{ aliases: [name], state: deleting(pool) ? 'deleting' : state, phase: '', message: '', syncedSteps: [] },
    served: true,
    createdAt: Date.parse(creationTimestamp),
    changedAt: latestOf(transitionsOf(pool)),
  };
}

function problemOf(condition: Condition | undefined, bad: 'True' | 'False'): EntityProblem[] {
  if (condition?.status !== bad || EXPECTED_REASONS.includes(condition.reason)) return [];
  const { type, reason, message, lastTransitionTime } = condition;
  return [{ source: type, label: reason, message, since: Date.parse(lastTransitionTime) }];
}
