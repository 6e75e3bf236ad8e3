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

/** Watched objects. Lists that the user may not read are empty. */
export interface WatchedObjects {
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  readonly nodes: readonly Node[];
  readonly cores: readonly OwnerMachine[];
  readonly deployments: readonly FleetMachineDeployment[];
  readonly pools: readonly RunnerPool[];
  /** Server ids of hosts whose Node was observed before. */
  readonly joined: ReadonlySet<string>;
}

/** Returns snapshots of all hosts, fleets and pools. With names, only of the hosts with these names. */
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
  if (names.length > 0) return hosts.filter(({ aliases }) => aliases.some(name => names.includes(name)));
  return [...hosts, ...deployments.filter(isFleet).map(fleetSnapshot), ...pools.map(poolSnapshot)];
}

/** Returns the server id of a Node's host. */
export const hostBehind = (node: Node): string | undefined => parseProviderID(node.spec?.providerID)?.id;
