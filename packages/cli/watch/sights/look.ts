import type { RunnerPool } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import { type CoreMachine, hostOf, nameOf, ownerOf, parseProviderID, type Samm } from '../../cluster/machines.ts';
import type { MachineDeployment } from '../../cluster/resources.ts';
import { isFleet } from '../../get/kinds/fleets.ts';
import type { Sight } from '../sight.ts';
import { sightOfFleet } from './fleet.ts';
import { sightOfHost } from './host.ts';
import { sightOfPool } from './pool.ts';

/** All that is looked at; what the user may not see is empty. */
export interface Objects {
  readonly machines: readonly Samm[];
  readonly nodes: readonly Node[];
  readonly cores: readonly CoreMachine[];
  readonly deployments: readonly MachineDeployment[];
  readonly pools: readonly RunnerPool[];
  /** Hosts, by server id, of which a Node was seen before. */
  readonly joined: ReadonlySet<string>;
}

/** Every host with what belongs to it, then fleets and pools. With names: the hosts of these names alone. */
export function look(objects: Objects, names: readonly string[]): Sight[] {
  const { machines, nodes, cores, deployments, pools, joined } = objects;
  const nodeOf = new Map(nodes.map(node => [hostBehind(node), node]));
  const coreOf = new Map(cores.map(core => [nameOf(core), core]));
  const hosts = machines.map(samm => {
    const host = hostOf(samm);
    return sightOfHost({
      samm,
      node: host === undefined ? undefined : nodeOf.get(host),
      joined: host !== undefined && joined.has(host),
      machine: coreOf.get(`${samm.metadata.namespace}/${ownerOf(samm)?.name}`),
    });
  });
  if (names.length > 0) return hosts.filter(({ calledBy }) => calledBy.some(name => names.includes(name)));
  return [...hosts, ...deployments.filter(isFleet).map(sightOfFleet), ...pools.map(sightOfPool)];
}

/** Server id of the host that a Node is of. */
export const hostBehind = (node: Node): string | undefined => parseProviderID(node.spec?.providerID)?.id;
