import { macHost, names, scalewayAppleSiliconMachine } from '@minifleet/api';
import { conditionText, machines, ownerMachines, ownerOf } from '@minifleet/cli/cluster';
import { minutes, seconds } from '@minifleet/clock';
import type { ObjectKey, Resource } from '@minifleet/kube';
import { FLEETS } from '../up/fleets/share-hosts.ts';
import { HOST_GONE } from './errors.ts';
import type { FaultTarget } from './fault-target.ts';
import { observeReplacement } from './fixtures/machine-replacement.ts';
import { ignoreNotFound } from './fixtures/preconditions.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';
import type { VendorWithClients } from './old-way-env.ts';
import { errorText, POOL_PREFIX } from './vendor.ts';

/** The operators' claim: rename the first free host by name, without checking again that it is free. */
async function adoptByPrefix(vendor: VendorWithClients, claimName: string): Promise<string | undefined> {
  const { servers } = await vendor.servers.listServers({ projectId: vendor.apiFor().defaultProjectId });
  const free = servers.find(server => server.name.startsWith(POOL_PREFIX));
  if (!free) return undefined;
  await vendor.servers.updateServer({ serverId: free.id, name: claimName });
  return free.id;
}

const hoursBilled = (vendor: VendorWithClients): number =>
  vendor.console.bill().reduce((sum, line) => sum + line.hours, 0);

/**
 * Deletes a machine without its cleanup. The annotation makes the provider ignore it: otherwise the provider returns the host before
 * the finalizer can be removed.
 */
async function deleteByForce({ client, namespace, name }: FaultTarget, ownerMachine: string): Promise<void> {
  const patch = (resource: Resource, key: ObjectKey, metadata: object): Promise<unknown> =>
    client.patch(resource, key, { type: 'merge', body: { metadata } }).catch(ignoreNotFound);
  const machine = { namespace, name };
  const owner = { namespace, name: ownerMachine };
  await patch(machines, machine, { annotations: { [names.clusterApi.deleteForMoveAnnotation]: '' } });
  await client.delete(ownerMachines, owner);
  await client.delete(machines, machine);
  await patch(machines, machine, { finalizers: null });
  await patch(ownerMachines, owner, { finalizers: null });
}

const UNTIL_DELETED = ['--ignore-not-found', '--timeout=60s'];

/** Creates a second machine for the same host, as an operator does who restores a backup next to the existing objects. */
async function createTwin(target: FaultTarget, twin: ObjectKey & { readonly namespace: string }): Promise<void> {
  const { client, name, serverId } = target;
  const machine = await target.machine();
  const label = names.clusterApi.clusterNameLabel;
  const cluster = machine?.metadata.labels?.[label];
  if (!machine || cluster === undefined) throw HOST_GONE({ host: name, server: serverId });
  const metadata = { ...twin, labels: { [label]: cluster } };
  await client.create(machines, { metadata, spec: machine.spec });
  const { group: apiGroup, kind } = scalewayAppleSiliconMachine.resource;
  await client.create(ownerMachines, {
    metadata,
    spec: {
      clusterName: cluster,
      bootstrap: { dataSecretName: 'no-bootstrap-data' },
      infrastructureRef: { apiGroup, kind, name: twin.name },
    },
  } as never);
}

/** Incidents with claiming and returning hosts. */
export const machineIncidents: readonly Incident[] = [
  {
    id: 'I11',
    title: 'an operator clears serverID, and the controller adopts a pool host for an object that is being deleted',
    oldWay: {
      procedure:
        'cleared serverID of an object before deleting it; the controller reconciled it once before the deletion',
      symptom: /adopted a pool host for an object that is being deleted/,
      async run(env) {
        const vendor = await env.vendor();
        await vendor.console.addServer({ name: `${POOL_PREFIX}1` });
        const doomed: { name: string; serverID?: string } = { name: 'runners-bzd26', serverID: 'shared-host' };
        delete doomed.serverID; // kubectl patch --subresource=status
        if (doomed.serverID === undefined)
          Object.assign(doomed, { serverID: await adoptByPrefix(vendor, doomed.name) });
        const taken = vendor.console.servers().filter(server => server.name === doomed.name);
        return taken.length > 0 ? 'adopted a pool host for an object that is being deleted' : 'adopted no host';
      },
    },
    coveredBy: 'packages/cli/detach/detach.incident.test.ts, packages/provider/machines/read-scope.test.ts',
    live: {
      fault: 'an operator clears the host of a machine that is about to be deleted',
      fleets: FLEETS,
      expected: 'the machine adopts no other host; its host returns to the pool, and another machine replaces it',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const { client, namespace, name, serverId } = target;
        const replacement = await observeReplacement(target);
        const nothing = { claimRef: null, providerID: null };
        await client.patch(machines, { namespace, name }, { type: 'merge', body: { spec: nothing } });
        const status = { status: { serverID: null } };
        await client.patch(machines, { namespace, name }, { type: 'merge', body: status }, { subresource: 'status' });
        await client.delete(ownerMachines, { namespace, name: replacement.ownerMachine });
        return {
          action: 'cleared claimRef, providerID and serverID of the machine, then deleted its owner Machine',
          async check() {
            const adopted = (await replacement.eventsOf('Adopting')).filter(note => !note.includes(serverId));
            if (adopted.length > 0) return undefined;
            const result = await replacement.result();
            return result && { repaired: `the machine adopted no other host; ${result.host}; ${result.machine}` };
          },
        };
      },
    },
  },
  {
    id: 'I12',
    title: 'deleting a machine deletes the server, which the licence forbids for 24 hours',
    oldWay: {
      procedure: 'called the vendor’s delete API from the finalizer, an hour after the order',
      symptom: /cannot be deleted before/,
      async run(env) {
        const vendor = await env.vendor();
        const { id: serverId } = await vendor.console.addServer({ name: 'runners-k6kwt', age: minutes(60) });
        return vendor.servers.deleteServer({ serverId }).then(() => 'deleted', errorText);
      },
    },
    coveredBy: 'packages/provider/hosts/host-life.test.ts, packages/provider/machines/machine-life.test.ts',
    live: {
      fault: 'a Machine is deleted whose Mac the vendor does not delete for 24 hours',
      fleets: FLEETS,
      expected: 'the Mac returns to the pool and is not deleted at the vendor; another machine replaces it',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const replacement = await observeReplacement(target);
        await target.client.delete(ownerMachines, { namespace: target.namespace, name: replacement.ownerMachine });
        return {
          action: `deleted the Machine ${replacement.ownerMachine}`,
          async check() {
            const result = await replacement.result();
            return result && { repaired: `${result.host}; ${result.machine}` };
          },
        };
      },
    },
  },
  {
    id: 'I13',
    title: 'three objects bound to one host',
    oldWay: {
      procedure:
        'three reconciles listed the pool before any of them renamed a host, then all renamed the same free host',
      symptom: /3 objects hold one host/,
      async run(env) {
        const vendor = await env.vendor();
        await vendor.console.addServer({ name: `${POOL_PREFIX}1` });
        const claims = ['runners-bzd26', 'runners-ffjpx', 'runners-k6kwt'];
        const held = await Promise.all(claims.map(name => adoptByPrefix(vendor, name)));
        return `${held.filter(id => id !== undefined && id === held[0]).length} objects hold one host`;
      },
    },
    coveredBy: 'packages/provider/machines/claim-mac-host.test.ts, packages/provider/machines/lost-host.test.ts',
    live: {
      fault: 'a second machine is created by hand for the same host',
      fleets: FLEETS,
      expected:
        'the second machine does not get the host and reports its holder; the MacHost names both; the first stays Ready',
      within: seconds(90),
      async inject(target) {
        const { client, namespace, name, serverId, kubectl } = target;
        const twin = { namespace, name: `${name}-twin` };
        await createTwin(target, twin);
        return {
          action: `created the Machine and the machine ${twin.name}, which name the host of ${name}`,
          async check() {
            const [host, second] = await Promise.all([
              client.find(macHost.resource, { name: serverId }),
              client.find(machines, twin),
            ]);
            const held = host && conditionText(host, 'Claimed', 'False');
            const claimed = second && conditionText(second, 'HostClaimed', 'False');
            const reported = held?.includes(twin.name) && claimed?.includes(`${namespace}/${name}`);
            // With a providerID, the deletion of the twin would drain the Node of the first machine.
            const harmless = second && second.spec.providerID === undefined;
            const fenced = host?.spec.consumerRef?.name === name && (await target.isReady());
            return reported && harmless && fenced
              ? { reported: `${twin.name}: ${claimed}; MacHost: ${held}` }
              : undefined;
          },
          async cleanUp() {
            await kubectl('delete', 'machines.cluster.x-k8s.io', twin.name, '-n', namespace, ...UNTIL_DELETED);
          },
        };
      },
    },
  },
  {
    id: 'I22',
    title: 'a machine is deleted, and its Mac keeps running and is billed',
    oldWay: {
      procedure: 'removed the object and its finalizer, without a call to the vendor',
      symptom: /still ready and billed for (?!0\b)/,
      async run(env) {
        const vendor = await env.vendor();
        await vendor.console.addServer({ name: 'runners-h5dkz' });
        const before = hoursBilled(vendor);
        await env.surroundings.clock.advance(minutes(60 * 24));
        const [server] = vendor.console.servers();
        return `no object uses the server, which is still ${server?.status} and billed for ${hoursBilled(vendor) - before} more hours`;
      },
    },
    coveredBy: 'packages/provider/hosts/orphan.test.ts',
    live: {
      fault: 'a Machine is deleted by force, without a call to the vendor',
      fleets: FLEETS,
      expected: 'the MacHost reports that its machine does not exist, and the next action',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const { client, serverId } = target;
        const machine = await target.machine();
        const ownerMachine = machine && ownerOf(machine)?.name;
        if (!machine || ownerMachine === undefined) throw HOST_GONE({ host: target.name, server: serverId });
        await deleteByForce(target, ownerMachine);
        return {
          action: 'deleted the machine and its owner Machine, and removed their finalizers',
          async check() {
            const host = await client.find(macHost.resource, { name: serverId });
            const claimed = host && conditionText(host, 'Claimed', 'False');
            const next = host && conditionText(host, 'Ready', 'False');
            return claimed?.startsWith('ConsumerMissing') && next?.includes('does not exist; ')
              ? { reported: next }
              : undefined;
          },
          // The fix of the runbook: the provider reinstalls the host and deletes its Node.
          async cleanUp() {
            const host = await client.find(macHost.resource, { name: serverId });
            if (host?.spec.consumerRef?.uid !== machine.metadata.uid) return;
            const body = { spec: { release: 'Return' } };
            await client.patch(macHost.resource, { name: serverId }, { type: 'merge', body });
          },
        };
      },
    },
  },
];
