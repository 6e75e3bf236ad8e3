import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { kinds, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type Client,
  connectClient,
  createInformer,
  customResourceDefinitions,
  type KubeObject,
  namespaces,
  readKubeconfig,
  silentLog,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { type MemoryVendor, memoryVendor } from '@minifleet/vendors/testing';
import type { Claims } from './claims.ts';
import { createClaims } from './create-claims.ts';
import { machines, PREFIX } from './testing/claims-bench.ts';
import { hostClaims } from './write-claim.ts';

const HOSTS = 20;
const MACHINES = 25;
const os = 'Tahoe';

describe('claims on a real API server', () => {
  let cluster: LocalCluster;
  let client: Client;
  let vendor: MemoryVendor;
  let providers: readonly Claims[];
  let samms: ScalewayAppleSiliconMachine[];
  const stop = new AbortController();

  async function provider(clusterId: string): Promise<Claims> {
    const options = { client, clock: systemClock, log: silentLog };
    const informer = createInformer({ ...options, resource: hostClaims, selection: {} });
    void informer.run(stop.signal);
    await informer.synced;
    const events = { record: () => undefined, flush: async () => undefined };
    const vendors = { for: async () => vendor, all: () => [vendor] };
    const settings = { defaultPoolPrefix: PREFIX };
    return createClaims({ ...options, events, vendors, settings, clusterId, cache: informer.cache });
  }

  const note = ({ metadata: { namespace = '', name } }: KubeObject, claim: string, epoch: number) =>
    client.patch(
      machines,
      { namespace, name },
      { type: 'merge', body: { spec: { claimRef: { name: claim, epoch } } } },
    );
  const claimsOf = async () => (await client.list(hostClaims)).items;

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    for (const kind of kinds)
      await client.create(customResourceDefinitions, kind.crd() as unknown as KubeObject as never);
    const created = Array.from({ length: MACHINES }, (_, index) => ({
      metadata: { namespace: 'default', name: `m-${index}`, labels: { [names.clusterApi.clusterNameLabel]: 'mac' } },
      spec: {} as ScalewayAppleSiliconMachine['spec'],
    }));
    await eventually(() => client.list(machines), { what: 'our kinds are served' });
    await eventually(() => client.list(hostClaims), { what: 'claims are served' });
    samms = await Promise.all(created.map(samm => client.create(machines, samm)));
    vendor = memoryVendor({ servers: Array.from({ length: HOSTS }, (_, index) => ({ name: `${PREFIX}${index}` })) });
    const { metadata } = await client.get(namespaces, { name: 'kube-system' });
    providers = await Promise.all([provider(metadata.uid ?? ''), provider(metadata.uid ?? '')]);
  });
  after(async () => {
    stop.abort();
    await client.close();
    await cluster.stop();
  });

  const of = (index: number): Claims => providers[index % providers.length] as Claims;

  test('two providers at once give every host to one machine, and every machine one host', async () => {
    const taken = await Promise.all(samms.map((samm, index) => of(index).take(samm)));
    const hosts = taken.flatMap(end => (end.kind === 'taken' ? end.claim.metadata.name : []));
    assert.deepEqual([hosts.length, new Set(hosts).size, (await claimsOf()).length], [HOSTS, HOSTS, HOSTS]);
    samms = await Promise.all(
      samms.map(async (samm, index) => {
        const end = taken[index];
        return end?.kind === 'taken' ? note(samm, end.claim.metadata.name, end.claim.spec.claimEpoch) : samm;
      }),
    );
    const held = samms.filter(({ spec }) => spec.claimRef);
    const mirrored = await Promise.all(
      held.map(async (samm, index) =>
        of(index).mirror(samm, await client.get(hostClaims, { name: samm.spec.claimRef?.name ?? '' })),
      ),
    );
    assert.ok(mirrored.every(end => end.kind === 'held' && end.mirrored));
  });

  test('the server itself refuses to hand a held claim to a second machine', async () => {
    const [claim] = await claimsOf();
    assert.ok(claim?.spec.machineRef);
    const machineRef = { ...claim.spec.machineRef, name: 'another', uid: 'another' };
    const stolen = { ...claim, spec: { ...claim.spec, claimEpoch: 2, machineRef } };
    await assert.rejects(client.update(hostClaims, stolen), /the holder first releases/);
  });

  test('hosts given back are taken by those who waited, those with a record in the next epoch', async () => {
    const [first, second] = samms.filter(({ spec }) => spec.claimRef);
    assert.ok(first?.spec.claimRef?.name && second?.spec.claimRef?.name);
    const [clean, bad] = [first.spec.claimRef.name, second.spec.claimRef.name];
    await of(0).recordFailure(bad, { step: 'login', reason: 'StepFailed', message: 'x' });
    for (const samm of [first, second]) {
      const claim = await client.get(hostClaims, { name: samm.spec.claimRef?.name ?? '' });
      assert.equal((await of(0).release(samm, claim, { how: 'Return', os })).kind, 'released');
      vendor.finish(claim.metadata.name);
    }
    assert.equal(await client.find(hostClaims, { name: clean }), undefined);
    assert.equal((await client.get(hostClaims, { name: bad })).spec.machineRef, undefined);
    const waiting = samms.filter(({ spec }) => !spec.claimRef);
    const epochs = new Map<string, number>();
    for (const samm of waiting.slice(0, 2)) {
      // The list of servers is of a moment ago.
      const taken = await eventually(async () => {
        const end = await of(1).take(samm);
        return end.kind === 'taken' ? end : undefined;
      });
      epochs.set(taken.claim.metadata.name, taken.claim.spec.claimEpoch);
    }
    assert.deepEqual(
      epochs,
      new Map([
        [clean, 1],
        [bad, 2],
      ]),
    );
  });

  test('a machine made anew by clusterctl move takes its claim over; the UID before is fenced', async () => {
    const before = samms.findLast(({ spec }) => spec.claimRef);
    const claimRef = before?.spec.claimRef;
    assert.ok(before && claimRef?.name);
    const { namespace = '', name } = before.metadata;
    await client.delete(machines, { namespace, name });
    const moved = await client.create(machines, { metadata: { namespace, name }, spec: { ...before.spec, claimRef } });
    const target = await provider('another cluster');
    const claim = await target.rediscover(moved);
    assert.deepEqual([claim?.spec.claimEpoch, claim?.spec.clusterID], [2, 'another cluster']);
    await target.fence(await note(moved, claimRef.name, 2));
    await assert.rejects(of(0).fence(before), { code: 'CLAIM_LOST' });
  });
});
