import { names } from '@minifleet/api';
import { machines, ownerMachines } from '@minifleet/cli/cluster';
import { nodes, type ObjectKey, type Resource } from '@minifleet/kube';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { aboutToLeave } from '../scenes/replaced.ts';
import { unlessGone } from '../scenes/unless-gone.ts';
import type { Stage } from '../stage.ts';

/** What happened to machines that were deleted. */
export const machineBreakages: readonly Breakage[] = [
  {
    id: 'I11',
    title: 'an operator clears the host of a machine that is about to be deleted',
    fleets: FLEETS,
    promise: 'the doomed machine takes no other host; its own goes back to the pool, and another machine serves',
    within: HEALED_WITHIN,
    async strike(stage) {
      const { client, namespace, name, serverId } = stage;
      const leaving = await aboutToLeave(stage);
      const nothing = { claimRef: null, providerID: null };
      await client.patch(machines, { namespace, name }, { type: 'merge', body: { spec: nothing } });
      const status = { status: { serverID: null } };
      await client.patch(machines, { namespace, name }, { type: 'merge', body: status }, { subresource: 'status' });
      await client.delete(ownerMachines, { namespace, name: leaving.machine });
      return {
        did: 'cleared claimRef, providerID and serverID of the machine, then deleted its Machine',
        async look() {
          const adopted = (await leaving.eventsOf('Adopting')).filter(note => !note.includes(serverId));
          if (adopted.length > 0) return undefined;
          const seen = await leaving.replaced();
          return seen && { healed: `it took no other host; ${seen.host}; ${seen.machine}` };
        },
      };
    },
  },
  {
    id: 'I12',
    title: 'a Machine is deleted, whose Mac the vendor would keep for 24 hours',
    fleets: FLEETS,
    promise: 'the Mac goes back to the pool and is not deleted at the vendor; another machine serves in its place',
    within: HEALED_WITHIN,
    async strike(stage) {
      const leaving = await aboutToLeave(stage);
      await stage.client.delete(ownerMachines, { namespace: stage.namespace, name: leaving.machine });
      return {
        did: `deleted the Machine ${leaving.machine}`,
        async look() {
          const seen = await leaving.replaced();
          return seen && { healed: `${seen.host}; ${seen.machine}` };
        },
      };
    },
  },
  {
    id: 'I22',
    title: 'a Machine is deleted by force, and nobody tells the vendor',
    fleets: FLEETS,
    promise: 'the sweep finds the Mac that nobody uses, says so and gives it back; another machine serves in its place',
    within: HEALED_WITHIN,
    async strike(stage) {
      const leaving = await aboutToLeave(stage);
      await deleteByForce(stage, leaving.machine);
      return {
        did: 'deleted the Machine and its machine, and took their finalizers away',
        async look() {
          const [told] = await leaving.eventsOf('Reclaimed');
          const seen = await leaving.replaced();
          return told !== undefined && seen ? { healed: `${told}; ${seen.machine}` } : undefined;
        },
        // Core would have deleted the Node; nobody else may.
        tidy: () => stage.client.delete(nodes, { name: stage.name }).catch(unlessGone),
      };
    },
  },
];

/**
 * As those do who want it gone. The annotation keeps the provider's hands off it: it gives the host back so fast that nobody would take
 * the finalizer away before.
 */
async function deleteByForce({ client, namespace, name }: Stage, machine: string): Promise<void> {
  const patch = (resource: Resource, key: ObjectKey, metadata: object): Promise<unknown> =>
    client.patch(resource, key, { type: 'merge', body: { metadata } }).catch(unlessGone);
  const [samm, core] = [
    { namespace, name },
    { namespace, name: machine },
  ];
  await patch(machines, samm, { annotations: { [names.clusterApi.deleteForMoveAnnotation]: '' } });
  await client.delete(ownerMachines, core);
  await client.delete(machines, samm);
  await patch(machines, samm, { finalizers: null });
  await patch(ownerMachines, core, { finalizers: null });
}
