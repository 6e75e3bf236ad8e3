import type { RunnerPool } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import {
  hostOf,
  nameOf,
  type OwnerMachine,
  ownerOf,
  parseProviderID,
  type ScalewayAppleSiliconMachine,
} from '../../cluster/machines.ts';
import type { FleetMachineDeployment } from '../../cluster/resources.ts';
import { isFleet } from '../../get/kinds/fleets.ts';
import type { EntitySnapshot } from '../entity.ts';
import { fleetSnapshot } from './fleet-snapshot.ts';
import { hostSnapshot } from './host-snapshot.ts';
import { poolSnapshot } from './pool-snapshot.ts';

/** All that is looked at; what the user may not see is empty. */
export interface WatchedObjects {
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  readonly nodes: readonly Node[];
  readonly cores: readonly OwnerMachine[];
  readonly deployments: readonly FleetMachineDeployment[];
  readonly pools: readonly RunnerPool[];
  /** Hosts, by server id, of which a Node was seen before. */
  readonly joined: ReadonlySet<string>;
}

/** Every host with what belongs to it, then fleets and pools. With names: the hosts of these names alone. */
export function observeEntities(objects: WatchedObjects, names: readonly string[]): EntitySnapshot[] {
  const { machines, nodes, cores, deployments, pools, joined } = objects;
  const nodeOf = new Map(nodes.map(node => [hostBehind(node), node]));
  const coreOf = new Map(cores.map(core => [nameOf(core), core]));
  const hosts = machines.map(machine => {
    const host = hostOf(machine);
    return hostSnapshot({
      machine,
      node: host === undefined ? undefined : nodeOf.get(host),
      joined: host !== undefined && joined.has(host),
      ownerMachine: coreOf.get(`${machine.metadata.namespace}/${ownerOf(machine)?.name}`),
    });
  });
  if (names.length > 0) return hosts.filter(({ calledBy }) => calledBy.some(name => names.includes(name)));
  return [...hosts, ...deployments.filter(isFleet).map(fleetSnapshot), ...pools.map(poolSnapshot)];
}

/** Server id of the host that a Node is of. */
export const hostBehind = (node: Node): string | undefined => parseProviderID(node.spec?.providerID)?.id;
