import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { HOST_KEY_REFUSED } from '@minifleet/host';
import { hasFinalizer, nodes } from '@minifleet/kube';
import { memoryId, TAHOE } from '@minifleet/vendors/testing';
import { capiMachines, clusters } from '../cluster-api/kinds.ts';
import { noted, passed, phase } from './phase.ts';
import { provisionPhases } from './reconcile-machine.ts';
import { hosts, type MachineBench, type MachineBenchOptions, machineBench, machines } from './testing/machine-bench.ts';

const { pausedAnnotation, blockMoveAnnotation } = names.clusterApi;
const id = memoryId(1);

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

  test('a machine becomes a Ready Node on one host', async () => {
    await open();
    await bench.cluster();
    await bench.machine('a');
    assert.equal(await why(), 'NodeReady WaitingForNode: the agent has not registered the Node a');
    await bench.join('a');
    const { spec, status, metadata } = await bench.get('a');
    assert.deepEqual(spec.claimRef, { name: id, epoch: 1 });
    assert.equal(spec.providerID, `scw-applesilicon://fr-par-1/${id}`);
    assert.equal(status?.initialization?.provisioned, true);
    assert.equal(status?.failureDomain, 'fr-par-1');
    assert.equal(status?.osImage, TAHOE.name);
    assert.equal(status?.observedGeneration, metadata.generation);
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    assert.equal(bench.vendor.find(id).name, 'a');
    assert.equal((await bench.host(id))?.status?.state, 'Serving');
    assert.deepEqual(bench.events(), ['Adopting', 'Adopted', 'Bootstrapped', 'NodeReady']);
  });

  test('a machine has its finalizer before it claims a host, and its claim in spec before the server is renamed', async () => {
    const seen: Record<string, unknown> = {};
    await open({
      onVendorCall: async ({ call }, { api }) => {
        const machine = await api.client.find(machines, { namespace: 'fleet', name: 'a' });
        if (machine)
          seen[call] = [machine.metadata.finalizers?.length, machine.spec.claimRef?.name, machine.spec.providerID];
      },
    });
    await bench.cluster();
    await bench.machine('a');
    assert.deepEqual(seen['rename'], [1, id, undefined]);
  });

  test('a machine that is up to date sends no request, however often it is reconciled', async () => {
    await ready();
    const before = bench.requests();
    for (const touched of ['once', 'twice']) {
      await bench.api.client.patch(
        nodes,
        { name: 'a' },
        { type: 'merge', body: { metadata: { annotations: { touched } } } },
      );
      await bench.settle();
    }
    assert.equal(bench.requests() - before, 2, 'only the two patches of the test');
  });

  test('a machine waits for its owner, then for its Cluster, then for the infrastructure of the Cluster', async () => {
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

  test('a machine claims a host as soon as it is discovered', async () => {
    await open({ servers: [] });
    await bench.cluster();
    await bench.machine('a');
    assert.match((await why()) ?? '', /^HostClaimed NoHostAvailable: /);
    bench.vendor.put({ name: 'tuist-pool-9' });
    // The second interval of discovery without a change.
    await bench.advance(minutes(2));
    assert.match((await why()) ?? '', /^NodeReady WaitingForNode: /);
    assert.deepEqual(bench.events(), ['NoHostAvailable', 'Adopting', 'Adopted', 'Bootstrapped']);
  });

  test('a machine without a pool claims no host', async () => {
    await open({ settings: { defaultPoolPrefix: '' } });
    await bench.cluster();
    await bench.machine('a');
    assert.match((await why()) ?? '', /^HostClaimed NoAdoptPoolPrefix: /);
    assert.deepEqual(effectsAtVendor(), []);
  });

  test('I11 a machine that is paused before it has a host claims none until it is unpaused', async () => {
    await open();
    await bench.machine('a', {}, { annotations: { [pausedAnnotation]: '' } });
    await bench.cluster();
    assert.equal((await bench.condition('a', 'Paused'))?.status, 'True');
    assert.match((await why()) ?? '', /^Paused Paused: the annotation cluster.x-k8s.io\/paused is set$/);
    assert.equal((await bench.get('a')).metadata.annotations?.[blockMoveAnnotation], undefined);
    await bench.patch('a', { metadata: { annotations: { [pausedAnnotation]: null } } });
    assert.match((await why()) ?? '', /^NodeReady /);
    assert.equal((await bench.condition('a', 'Paused'))?.status, 'False');
  });

  test('I37 a machine whose Node is deleted by hand waits for its agent, without a command on the host', async () => {
    await ready();
    const touched = effectsAtVendor();
    const jobs = bench.jobs.requests.length;
    await bench.api.client.delete(nodes, { name: 'a' });
    await bench.settle();
    assert.match((await why()) ?? '', /^NodeReady WaitingForNode: /);
    const { status, spec } = await bench.get('a');
    assert.equal(status?.initialization?.provisioned, true, 'never false again');
    assert.ok(spec.claimRef);
    assert.equal(bench.jobs.requests.length, jobs);
    assert.deepEqual(effectsAtVendor(), touched);
    await bench.join('a');
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
  });

  test('I32 a machine whose rollout failed for good is not Ready, although its Node is, until that is resolved', async () => {
    let broken = true;
    const rollout = phase('HostBootstrapped', async () =>
      broken ? noted('StepFailed', 'step agent: it does not stay up') : passed('HostBootstrapped'),
    );
    await ready({ phases: provisionPhases.map(one => (one.condition === 'HostBootstrapped' ? rollout : one)) });
    assert.equal((await bench.condition('a', 'NodeReady'))?.status, 'True');
    assert.equal(await why(), 'HostBootstrapped StepFailed: step agent: it does not stay up');
    await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'False');
    broken = false;
    await bench.patch('a', { metadata: { labels: { touched: 'again' } } });
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
  });

  test('a machine stays Ready while the vendor does not respond', async () => {
    await ready();
    for (let list = 0; list < 5; list++) bench.vendor.failNext({ call: 'servers', when: 'before' });
    await bench.advance(minutes(10));
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    assert.equal((await bench.host(id))?.status?.state, 'Serving');
  });

  test('a machine whose host vanished at the vendor reports it, and its jobs are stopped', async () => {
    await ready();
    bench.vendor.remove(id);
    await bench.advance(minutes(5));
    assert.match((await why()) ?? '', /^HostClaimed HostVanished: the host \S+ no longer exists at the vendor/);
    assert.equal(bench.jobs.running, 0);
    assert.equal(bench.events().filter(reason => reason === 'HostVanished').length, 1);
  });

  test('a machine whose host vanished at the vendor before its bootstrap claims another', async () => {
    await open({ servers: [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }] });
    await bench.cluster();
    bench.vendor.remove(id);
    await bench.machine('a');
    await bench.advance(minutes(2));
    assert.equal((await bench.get('a')).spec.claimRef?.name, memoryId(2));
    assert.match((await why()) ?? '', /^NodeReady /);
    assert.equal((await bench.host(id))?.spec.consumerRef, undefined);
  });

  test('a machine of another watch filter or namespace is not changed', async () => {
    await open({ settings: { watchFilter: 'mine' } });
    await bench.cluster();
    await bench.machine('a');
    assert.equal((await bench.get('a')).status, undefined);
    await bench.patch('a', { metadata: { labels: { [names.clusterApi.watchFilterLabel]: 'mine' } } });
    assert.match((await why()) ?? '', /^NodeReady /);
    assert.deepEqual(effectsAtVendor(), ['rename']);
  });

  test('a machine whose host was given up claims another, and reports it', async () => {
    await open({ servers: [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }], manualJobs: true });
    await bench.cluster();
    await bench.machine('a');
    const claimed = async () => (await bench.get('a')).spec.claimRef?.name;
    for (let failure = 0; failure < 20 && (await claimed()) !== memoryId(2); failure++) {
      if (bench.jobs.of(id)?.state.kind === 'running')
        bench.jobs.end(id, { kind: 'failed', error: HOST_KEY_REFUSED({ address: 'a' }), hostKey: undefined });
      await bench.advance(minutes(15));
      for (const server of bench.vendor.all()) if (server.state === 'busy') bench.vendor.finish(server.id);
      await bench.advance(minutes(1));
    }
    assert.equal(await claimed(), memoryId(2));
    assert.ok(bench.events().filter(reason => reason === 'Adopting').length === 2);
    const first = await bench.host(id);
    assert.equal(first?.spec.consumerRef, undefined);
    assert.equal(first?.status?.state, 'Quarantined');
  });

  test('a machine whose MacHost was deleted by force finds its host again, without a change on the host', async () => {
    await ready();
    const jobs = bench.jobs.requests.length;
    const before = effectsAtVendor();
    await bench.patchHost(id, { metadata: { finalizers: null } });
    await bench.api.client.delete(hosts, { name: id });
    await bench.settle();
    for (let poll = 0; poll < 8; poll++) await bench.advance(minutes(2));
    const host = await bench.host(id);
    assert.equal(host?.spec.consumerRef?.name, 'a');
    assert.equal(host?.status?.state, 'Serving');
    assert.ok((host?.spec.claimEpoch ?? 0) > 1, 'a stale holder of the first epoch is fenced');
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    assert.deepEqual(effectsAtVendor(), before);
    assert.ok(bench.jobs.requests.slice(jobs).every(({ allow }) => allow !== 'running VMs'));
  });

  test('40 machines that are created at once get 40 hosts with the lists of discovery alone', async () => {
    const all = Array.from({ length: 40 }, (_, number) => ({ name: `tuist-pool-${number}` }));
    await open({ servers: all });
    await bench.cluster();
    const lists = bench.vendor.calls.filter(({ call }) => call === 'servers').length;
    await bench.machines(all.map((_, number) => `m${number}`));
    const claimed = await Promise.all(
      all.map(async (_, number) => (await bench.get(`m${number}`)).spec.claimRef?.name),
    );
    assert.equal(new Set(claimed).size, 40);
    assert.ok(!claimed.includes(undefined));
    const later = bench.vendor.calls.filter(({ call }) => call === 'servers').length;
    assert.ok(later - lists <= 2, `${later - lists} lists`);
  });
});
