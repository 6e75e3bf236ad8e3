import {
  hostClaims,
  machineDeployments,
  machines,
  ownerOf,
  type ScalewayAppleSiliconMachine,
} from '@minifleet/cli/cluster';
import { events, isConditionTrue, type KubeEvent } from '@minifleet/kube';
import { HOST_GONE } from '../errors.ts';
import type { Stage } from '../stage.ts';

/** A machine that is about to be taken away. */
export interface Leaving {
  /** Name of core's Machine. */
  readonly machine: string;
  /** Undefined until its host is wiped and free, or somebody else's, and another machine serves in its place. */
  replaced(): Promise<Replaced | undefined>;
  /** Words of events about it or its claim, with that reason. */
  eventsOf(reason: string): Promise<readonly string[]>;
}

/** In words. */
export interface Replaced {
  readonly host: string;
  readonly machine: string;
}

export async function aboutToLeave(stage: Stage): Promise<Leaving> {
  const { client, namespace, name, serverId } = stage;
  const before = (await client.list(machines, { namespace })).items;
  const samm = before.find(({ metadata }) => metadata.name === name);
  const machine = samm && ownerOf(samm)?.name;
  if (!samm || machine === undefined) throw HOST_GONE({ host: name, server: serverId });
  const known = new Set(before.map(({ metadata }) => metadata.uid));
  const { installation } = stage.world.scaleway.console.server(serverId);
  return {
    machine,
    async replaced() {
      const [back, other] = await Promise.all([nameInPool(stage, samm, installation), findOther(stage, samm, known)]);
      if (back === undefined || other === undefined) return undefined;
      const host = `${serverId} was wiped and is ${back} at the vendor`;
      return { host, machine: `${other} serves in place of ${name}` };
    },
    async eventsOf(reason) {
      const { items } = await client.list(events, { namespace, fieldSelector: `reason=${reason}` });
      const about = ({ regarding }: KubeEvent): boolean =>
        regarding?.uid === samm.metadata.uid || regarding?.name === serverId;
      return items.filter(about).map(({ note }) => note ?? '');
    },
  };
}

/** Its name there, free or another machine's; undefined while it is not wiped, or still claimed. A host that the vendor has no more never is. */
async function nameInPool(
  { client, serverId, world }: Stage,
  { metadata }: ScalewayAppleSiliconMachine,
  installation: number,
): Promise<string | undefined> {
  const server = world.scaleway.console.servers().find(({ id }) => id === serverId);
  if (!server || server.installation <= installation || server.name === metadata.name) return undefined;
  const claim = await client.find(hostClaims, { name: serverId });
  return claim?.spec.machineRef?.uid === metadata.uid ? undefined : server.name;
}

/** One of the same fleet that was not there before and is Ready, as soon as core calls the fleet Available. */
async function findOther(
  { client, namespace }: Stage,
  { metadata, spec }: ScalewayAppleSiliconMachine,
  known: ReadonlySet<string | undefined>,
): Promise<string | undefined> {
  const { items } = await client.list(machines, { namespace });
  if (items.some(({ metadata: { uid } }) => uid === metadata.uid)) return undefined;
  const fleet = await client.find(machineDeployments, { namespace, name: spec.fleetName ?? '' });
  if (!fleet || !isConditionTrue(fleet, 'Available')) return undefined;
  const isOther = (samm: ScalewayAppleSiliconMachine): boolean =>
    samm.spec.fleetName === spec.fleetName && !known.has(samm.metadata.uid);
  return items.find(samm => isOther(samm) && isConditionTrue(samm, 'Ready'))?.metadata.name;
}
