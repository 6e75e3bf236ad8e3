import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { hostClaim, names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { hasFinalizer, nodes } from '@minifleet/kube';
import { memoryId, TAHOE } from '@minifleet/vendors/testing';
import { machines } from '../claims/testing/claims-bench.ts';
import { capiMachines, clusters } from '../cluster-api/kinds.ts';
import { noted, passed, phase } from './phase.ts';
import { type MachineBench, type MachineBenchOptions, machineBench } from './testing/machine-bench.ts';
import { phasesWith } from './testing/phases.ts';

const { pausedAnnotation, blockMoveAnnotation } = names.clusterApi;
const host = memoryId(1);

describe('a machine', () => {
  let bench: MachineBench;
  afterEach(() => bench.stop());

  const open = async (options?: MachineBenchOptions): Promise<void> => {
    bench = await machineBench(options);
  };
  const ready = async (options?: MachineBenchOptions): Promise<void> => {
    await open(options);
    await bench.cluster();
    await bench.machine('a');
    await bench.join('a');
  };
  const effectsAtVendor = () =>
    bench.vendor.calls.map(({ call }) => call).filter(call => ['rename', 'reinstall', 'reboot'].includes(call));
  const why = async () => (await bench.condition('a', 'Ready'))?.message;

  test('becomes a Ready Node on a host of its own', async () => {
    await open();
    await bench.cluster();
    await bench.machine('a');
    assert.equal(await why(), 'NodeReady WaitingForNode: the agent has not registered the Node a');
    await bench.join('a');
    const { spec, status, metadata } = await bench.get('a');
    assert.deepEqual(spec.claimRef, { name: host, epoch: 1 });
    assert.equal(spec.providerID, `scw-applesilicon://fr-par-1/${host}`);
    assert.equal(status?.initialization?.provisioned, true);
    assert.deepEqual(status?.addresses, [{ type: 'ExternalIP', address: '203.0.113.1' }]);
    assert.equal(status?.failureDomain, 'fr-par-1');
    assert.equal(status?.osImage, TAHOE.name);
    assert.equal(status?.observedGeneration, metadata.generation);
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    assert.equal(bench.vendor.find(host).name, 'a');
    assert.deepEqual(bench.events(), ['Adopting', 'Adopted', 'Bootstrapped', 'NodeReady']);
  });

  test('has its finalizer before the vendor hears of it, and its claim in spec before the vendor is asked for a name', async () => {
    const seen: Record<string, unknown> = {};
    await open({
      onVendorCall: async ({ call }, { api }) => {
        const { metadata, spec } = await api.client.get(machines, { namespace: 'fleet', name: 'a' });
        seen[call] ??= [metadata.finalizers?.length, spec.claimRef?.name, spec.providerID];
      },
    });
    await bench.cluster();
    await bench.machine('a');
    assert.deepEqual(seen['servers'], [1, undefined, undefined]);
    assert.deepEqual(seen['rename'], [1, host, undefined]);
  });

  test('that is settled sends nothing, however often it is woken', async () => {
    await ready();
    const before = bench.requests();
    const written = bench.api.resourceVersion;
    for (const touched of ['once', 'twice']) {
      await bench.api.client.patch(
        nodes,
        { name: 'a' },
        { type: 'merge', body: { metadata: { annotations: { touched } } } },
      );
      await bench.settle();
    }
    assert.equal(bench.requests() - before, 2, 'our own two');
    assert.notEqual(bench.api.resourceVersion, written);
  });

  test('waits for its owner, then for its Cluster, then for what the Cluster stands on', async () => {
    await open();
    await bench.machine('a', {}, { ownerless: true });
    assert.match((await why()) ?? '', /^ClusterReady WaitingForOwner: /);
    assert.equal(hasFinalizer(await bench.get('a'), names.finalizers.machine), false);
    const owner = await bench.api.client.get(capiMachines, { namespace: 'fleet', name: 'a' });
    const reference = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'a', uid: owner.metadata.uid };
    await bench.patch('a', { metadata: { ownerReferences: [reference] } });
    assert.match((await why()) ?? '', /^ClusterReady WaitingForCluster: the Cluster mac does not exist$/);
    await bench.cluster({}, false);
    assert.match((await why()) ?? '', /^ClusterReady WaitingForClusterInfrastructure: /);
    const body = { status: { initialization: { infrastructureProvisioned: true } } };
    await bench.api.client.patch(
      clusters,
      { namespace: 'fleet', name: 'mac' },
      { type: 'merge', body },
      { subresource: 'status' },
    );
    await bench.settle();
    assert.match((await why()) ?? '', /^NodeReady WaitingForNode: /);
  });

  test('waits for a host and takes the one that comes', async () => {
    await open({ servers: [] });
    await bench.cluster();
    await bench.machine('a');
    assert.match((await why()) ?? '', /^HostClaimed NoHostAvailable: /);
    bench.vendor.put({ name: 'tuist-pool-9' });
    await bench.clock.advance(minutes(1));
    await bench.settle();
    assert.match((await why()) ?? '', /^NodeReady WaitingForNode: /);
    assert.deepEqual(bench.events(), ['NoHostAvailable', 'Adopting', 'Adopted', 'Bootstrapped']);
  });

  test('adopts nothing without a pool, and asks the vendor nothing', async () => {
    await open({
      claims: { take: async () => ({ kind: 'none', reason: 'NoAdoptPoolPrefix', why: 'no pool is named' }) },
    });
    await bench.cluster();
    await bench.machine('a');
    assert.equal(await why(), 'HostClaimed NoAdoptPoolPrefix: no pool is named');
    assert.equal(bench.vendor.calls.length, 0);
  });

  test('I11 that is paused before it has a host takes none until it no longer is', async () => {
    await open();
    await bench.machine('a', {}, { annotations: { [pausedAnnotation]: '' } });
    await bench.cluster();
    assert.equal((await bench.condition('a', 'Paused'))?.status, 'True');
    assert.match((await why()) ?? '', /^Paused Paused: the annotation cluster.x-k8s.io\/paused is set$/);
    await bench.patch('a', { metadata: { annotations: { [pausedAnnotation]: null } } });
    assert.match((await why()) ?? '', /^NodeReady /);
    assert.equal((await bench.condition('a', 'Paused'))?.status, 'False');
  });

  test('I37 whose Node is deleted by hand waits for its agent; nothing is done on the host', async () => {
    await ready();
    const touched = effectsAtVendor();
    await bench.api.client.delete(nodes, { name: 'a' });
    await bench.settle();
    assert.match((await why()) ?? '', /^NodeReady WaitingForNode: /);
    const { status, spec } = await bench.get('a');
    assert.equal(status?.initialization?.provisioned, true, 'never false again');
    assert.ok(spec.claimRef);
    assert.deepEqual(bench.work.requests, []);
    assert.deepEqual(bench.effects, []);
    assert.deepEqual(effectsAtVendor(), touched);
    await bench.join('a');
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
  });

  test('I32 whose roll failed for good is not Ready, though its Node is, until that is resolved', async () => {
    let broken = true;
    const roll = phase('HostBootstrapped', async () =>
      broken ? noted('StepFailed', 'step agent: it does not stay up') : passed('HostBootstrapped'),
    );
    await ready({ phases: phasesWith(roll) });
    assert.equal((await bench.condition('a', 'NodeReady'))?.status, 'True');
    assert.equal(await why(), 'HostBootstrapped StepFailed: step agent: it does not stay up');
    await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'False');
    broken = false;
    await bench.patch('a', { metadata: { labels: { touched: 'again' } } });
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
  });

  test('that is Ready stays so while the vendor does not answer, and its claim says why nobody looked', async () => {
    await ready();
    const AWAY = defineError('AWAY', { retry: 'backoff', reason: 'VendorUnavailable', text: 'the vendor is away' });
    const { claims } = bench.parts;
    const answering = { ...claims };
    claims.standing = async () => {
      throw AWAY();
    };
    await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    assert.deepEqual(await bench.condition('a', 'HostClaimed'), {
      status: 'True',
      reason: 'HostClaimed',
      message: 'the vendor is away',
    });
    Object.assign(claims, answering);
    await bench.clock.advance(minutes(1));
    await bench.settle();
    assert.match((await bench.condition('a', 'HostClaimed'))?.message ?? '', /^host /);
  });

  test('keeps its hands off a host that vanished, and stops what runs for it', async () => {
    await ready();
    bench.work.put({ namespace: 'fleet', name: 'a' }, (await bench.get('a')).metadata.uid ?? '', { kind: 'running' });
    bench.vendor.remove(host);
    await bench.clock.advance(minutes(1));
    await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
    assert.match((await why()) ?? '', /^HostClaimed HostVanished: the host \S+ no longer exists at the vendor/);
    assert.equal(bench.work.cancelled.length, 1);
    assert.equal(bench.events().filter(reason => reason === 'HostVanished').length, 1);
  });

  test('blocks a move while a job runs on its host, and no longer', async () => {
    await ready();
    const { metadata } = await bench.get('a');
    bench.work.put({ namespace: 'fleet', name: 'a' }, metadata.uid ?? '', { kind: 'running' });
    await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
    assert.equal((await bench.get('a')).metadata.annotations?.[blockMoveAnnotation], '');
    bench.work.end(metadata.uid ?? '', { kind: 'inspected', steps: [] });
    await bench.settle();
    assert.equal((await bench.get('a')).metadata.annotations?.[blockMoveAnnotation], undefined);
  });

  test('does not block a move for a look at its host, which changes nothing there', async () => {
    await ready();
    const { metadata } = await bench.get('a');
    bench.work.put({ namespace: 'fleet', name: 'a' }, metadata.uid ?? '', { kind: 'running' }, 'inspect');
    await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
    assert.equal((await bench.get('a')).metadata.annotations?.[blockMoveAnnotation], undefined);
  });

  test('of another watch filter or namespace is not this provider’s', async () => {
    await open({ settings: { watchFilter: 'mine' } });
    await bench.cluster();
    await bench.machine('a');
    assert.equal((await bench.get('a')).status, undefined);
    await bench.patch('a', { metadata: { labels: { [names.clusterApi.watchFilterLabel]: 'mine' } } });
    assert.match((await why()) ?? '', /^NodeReady /);
    assert.deepEqual(effectsAtVendor(), ['rename']);
  });

  test('that gave up its host claims another and says so', async () => {
    await ready({ servers: [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }] });
    await giveUp();
    await bench.patch('a', { spec: { claimRef: null, providerID: null } });
    assert.equal((await bench.get('a')).spec.claimRef?.name, memoryId(2));
    assert.ok(wasSaid('HostGivenUp'));
    assert.match((await why()) ?? '', /^NodeReady ProviderIDMismatch: /, 'the old Node is still there');
  });

  test('whose provider died right after it gave up its host claims another, too', async () => {
    await ready({ servers: [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }] });
    const at = '2030-01-01T00:00:00Z';
    const steps = [{ name: '(giving-up)', state: 'Waiting', lastTransitionTime: at }];
    const body = { status: { steps } };
    await bench.api.client.patch(
      machines,
      { namespace: 'fleet', name: 'a' },
      { type: 'merge', body },
      { subresource: 'status' },
    );
    await giveUp();
    await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
    assert.equal((await bench.get('a')).spec.claimRef?.name, memoryId(2));
    assert.deepEqual(bench.effects, ['forget credentials']);
  });

  async function giveUp(): Promise<void> {
    const samm = await bench.get('a');
    const claim = await bench.api.client.get(hostClaim.resource, { name: samm.spec.claimRef?.name ?? '' });
    await bench.parts.claims.release(samm, claim, { how: 'Quarantine', os: samm.spec.os });
  }
  const wasSaid = (reason: string) => bench.api.requests.some(({ body }) => JSON.stringify(body)?.includes(reason));
});
