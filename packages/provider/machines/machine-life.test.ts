import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { HOST_UNREACHABLE, quiescePlan } from '@minifleet/host';
import { removeFinalizer } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import { capiMachines, clusters } from '../cluster-api/kinds.ts';
import { converged } from '../hosts/testing/fake-jobs.ts';
import {
  builderSpec,
  hosts,
  type MachineBench,
  type MachineBenchOptions,
  machineBench,
  machines,
} from './testing/machine-bench.ts';
import { builder } from './testing/settings.ts';

const { pausedAnnotation, deleteForMoveAnnotation, blockMoveAnnotation } = names.clusterApi;
const { hostStatus } = names.annotations;
const id = memoryId(1);

describe('a machine that is paused, moved or deleted', () => {
  let bench: MachineBench;
  afterEach(() => bench.stop());

  const ready = async (options?: MachineBenchOptions, spec = {}): Promise<void> => {
    bench = await machineBench(options);
    await bench.cluster();
    await bench.machine('a', spec);
    await bench.join('a');
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    bench.effects.length = 0;
  };
  const isBack = () => bench.vendor.find(id).name.startsWith('tuist-pool-');
  const wipes = () => bench.vendor.calls.filter(({ call }) => call === 'reinstall').length;
  const annotate = (annotations: Record<string, string | null>) => bench.patch('a', { metadata: { annotations } });
  const pauseCluster = async (paused: boolean): Promise<void> => {
    await bench.api.client.patch(
      clusters,
      { namespace: 'fleet', name: 'mac' },
      { type: 'merge', body: { spec: { paused } } },
    );
    await bench.settle();
  };
  const consumer = async () => (await bench.host(id))?.spec.consumerRef;
  const blocksMove = async () => (await bench.get('a')).metadata.annotations?.[blockMoveAnnotation] !== undefined;
  const savedStatus = async () => (await bench.host(id))?.metadata.annotations?.[hostStatus];

  test('a deleted machine gives up its join token, then the host is wiped and renamed, and the hold ends last', async () => {
    let held: unknown;
    await ready({
      onVendorCall: async ({ call }, { api }) => {
        if (call === 'reinstall') held = (await api.client.get(hosts, { name: id })).spec.consumerRef;
      },
    });
    await bench.delete('a');
    assert.equal(await bench.find('a'), undefined);
    assert.equal(isBack(), true);
    assert.equal(wipes(), 1);
    assert.ok(held, 'the machine held the host when the reinstallation was requested');
    assert.equal(await consumer(), undefined);
    assert.deepEqual(bench.effects[0], 'withdraw token');
    assert.deepEqual([...new Set(bench.effects)], ['withdraw token', 'forget credentials']);
    assert.deepEqual(bench.events().slice(-2), ['Releasing', 'Released']);
  });

  for (const [what, set] of [
    ['the annotation pauses it', () => annotate({ [pausedAnnotation]: '' })],
    ['its Machine is gone', () => bench.patch('a', { metadata: { ownerReferences: null } })],
  ] as const) {
    test(`a deleted machine returns its host when ${what}`, async () => {
      await ready();
      await set();
      await bench.delete('a');
      assert.equal(await bench.find('a'), undefined);
      assert.equal(isBack(), true);
    });
  }

  test('a deleted machine of a paused Cluster keeps its host until the Cluster is no longer paused', async () => {
    await ready();
    await pauseCluster(true);
    await bench.delete('a');
    assert.equal((await bench.condition('a', 'Paused'))?.status, 'True');
    assert.equal(wipes(), 0);
    assert.deepEqual(bench.effects, []);
    await pauseCluster(false);
    assert.equal(await bench.find('a'), undefined);
    assert.equal(isBack(), true);
  });

  test('a machine blocks clusterctl move until its job has ended and the status of its host is saved', async () => {
    bench = await machineBench({ manualJobs: true });
    await bench.cluster();
    await bench.machine('a');
    assert.equal(bench.jobs.running, 1);
    assert.equal(await blocksMove(), true);
    await pauseCluster(true);
    assert.deepEqual(bench.jobs.cancelled, ['Cluster mac is paused']);
    assert.match((await savedStatus()) ?? '', /"state":"Bootstrapping"/);
    assert.equal(await blocksMove(), false);
    await pauseCluster(false);
    assert.equal(await savedStatus(), undefined);
    assert.equal(await blocksMove(), true);
  });

  test('a machine that clusterctl moved changes neither its host nor its object', async () => {
    await ready();
    await annotate({ [deleteForMoveAnnotation]: '', [blockMoveAnnotation]: null });
    const { resourceVersion } = (await bench.get('a')).metadata;
    await bench.delete('a');
    const left = await bench.get('a');
    assert.notEqual(left.metadata.resourceVersion, resourceVersion, 'the deletion');
    assert.equal(bench.vendor.find(id).name, 'a');
    assert.ok(await consumer());
    assert.deepEqual(bench.effects, []);
    await removeFinalizer({ client: bench.api.client, resource: machines }, left as never, names.finalizers.machine);
    await bench.settle();
    assert.equal(await bench.find('a'), undefined);
    assert.equal(bench.vendor.find(id).name, 'a');
  });

  test('a machine that clusterctl left behind touches no host until its Cluster exists again', async () => {
    await ready();
    await pauseCluster(true);
    // Garbage collection deletes the machine with its owner, a moment before the Cluster is deleted.
    await bench.api.client.delete(capiMachines, { namespace: 'fleet', name: 'a' });
    await bench.api.client.delete(clusters, { namespace: 'fleet', name: 'mac' });
    await bench.settle();
    const { reason, message } = (await bench.condition('a', 'Deleting')) ?? {};
    assert.equal(reason, 'LeftBehind');
    assert.match(message ?? '', /Cluster mac .*finalizer/);
    assert.deepEqual([bench.vendor.find(id).name, wipes()], ['a', 0]);
    assert.ok(await consumer());
    await bench.cluster();
    assert.equal(await bench.find('a'), undefined);
    assert.equal(isBack(), true);
  });

  test('a machine that is paused by its annotation keeps its host, and no job runs there', async () => {
    await ready();
    await annotate({ [pausedAnnotation]: '' });
    await bench.advance(minutes(30));
    assert.equal(bench.jobs.running, 0);
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True', 'it stays in service');
    assert.equal(bench.vendor.find(id).name, 'a');
    assert.ok(bench.events().includes('Paused'));
  });

  test('a deleted machine that never had a host is gone immediately', async () => {
    bench = await machineBench({ servers: [] });
    await bench.cluster();
    await bench.machine('a');
    await bench.delete('a');
    assert.equal(await bench.find('a'), undefined);
    assert.deepEqual(bench.effects, ['withdraw token']);
  });

  test('a machine whose provider crashed between claim and claimRef releases that host when it is deleted', async () => {
    await ready();
    await pauseCluster(true);
    await bench.patch('a', { spec: { claimRef: null, providerID: null } });
    await bench.delete('a');
    await pauseCluster(false);
    assert.equal(await bench.find('a'), undefined);
    assert.equal(isBack(), true);
  });

  test('a deleted machine whose host vanished at the vendor is gone, and no machine holds the MacHost', async () => {
    await ready();
    bench.vendor.remove(id);
    await bench.advance(minutes(5));
    await bench.delete('a');
    await bench.advance(minutes(1));
    assert.equal(await bench.find('a'), undefined);
    assert.equal(await consumer(), undefined);
  });

  test('I13 a deleted machine whose host is held by another is gone, and the host is not touched', async () => {
    await ready();
    await pauseCluster(true);
    const held = await bench.host(id);
    await bench.patchHost(id, {
      spec: { consumerRef: null, desired: null, clusterID: null, release: null },
    });
    const consumerRef = { ...held?.spec.consumerRef, name: 'b', uid: 'b' };
    await bench.patchHost(id, { spec: { consumerRef, clusterID: bench.clusterId, claimEpoch: 2 } });
    await bench.delete('a');
    await pauseCluster(false);
    assert.equal(await bench.find('a'), undefined);
    assert.equal(bench.vendor.find(id).name, 'a');
    assert.equal(wipes(), 0);
    assert.equal((await consumer())?.name, 'b');
    assert.ok(bench.events().includes('ReleaseSkipped'));
  });

  test('a deletion waits for a vendor that does not respond, reports it, and keeps the hold', async () => {
    await ready();
    bench.vendor.failNext({ call: 'reinstall', when: 'before' });
    await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
    await bench.clock.settle();
    await bench.clock.settle();
    await bench.clock.settle();
    assert.ok(await consumer());
    await bench.advance(minutes(2));
    assert.equal(await bench.find('a'), undefined);
    assert.equal(bench.events().filter(reason => reason === 'Releasing').length, 1);
  });

  test('a deletion that waits for another finalizer has released the host, and reports it', async () => {
    await ready();
    const { finalizers = [] } = (await bench.get('a')).metadata;
    await bench.patch('a', { metadata: { finalizers: [...finalizers, 'example.dev/other'] } });
    await bench.delete('a');
    assert.deepEqual((await bench.get('a')).metadata.finalizers, ['example.dev/other']);
    assert.equal((await bench.condition('a', 'Deleting'))?.reason, 'DeletionCompleted');
    assert.equal(isBack(), true);
    assert.equal(bench.events().filter(reason => reason === 'Released').length, 1);
  });

  describe('as a builder', () => {
    test('a deleted builder is released after the job of its runner', async () => {
      await ready({ settings: { fleet: { builder } } }, builderSpec);
      bench.forge.now = 'busy';
      await bench.delete('a');
      assert.match((await bench.condition('a', 'Deleting'))?.message ?? '', /the runner a is running a job/);
      assert.deepEqual([...new Set(bench.effects)], ['withdraw token']);
      bench.forge.now = 'offline';
      await bench.advance(minutes(1));
      assert.equal(await bench.find('a'), undefined);
      assert.deepEqual([...new Set(bench.effects)], ['withdraw token', 'remove runner', 'forget credentials']);
    });

    test('a GitHub error that needs an operator does not block the deletion of a builder', async () => {
      await ready({ settings: { fleet: { builder } } }, builderSpec);
      const GONE = defineError('GONE', { retry: 'operator', reason: 'SecretMissing', text: 'the Secret is gone' });
      bench.forge.remove = async () => {
        throw GONE();
      };
      await bench.delete('a');
      assert.equal(await bench.find('a'), undefined);
    });
  });

  describe('with hostRelease Retain', () => {
    const retain = { hostRelease: 'Retain' } as const;
    const error = HOST_UNREACHABLE({ address: 'a', why: 'timeout' });
    const unreachable = { kind: 'failed', error, hostKey: undefined } as const;

    test('hostRelease Retain: the agent is removed first, and the host stays unchanged with its credentials', async () => {
      await ready({ manualJobs: false }, retain);
      await bench.delete('a');
      assert.equal(await bench.find('a'), undefined);
      const removal = bench.jobs.requests.at(-1);
      assert.equal(removal?.plan.fingerprint, quiescePlan().fingerprint);
      assert.equal(wipes(), 0);
      assert.equal(bench.vendor.find(id).name, 'retained-a');
      assert.ok((await bench.host(id))?.spec.quarantine);
      assert.equal(await consumer(), undefined);
      assert.deepEqual([...new Set(bench.effects)], ['withdraw token']);
    });

    test('hostRelease Retain: a failed removal of the agent is retried, and the host is released when its time is over', async () => {
      bench = await machineBench({ manualJobs: true });
      await bench.cluster();
      await bench.machine('a', retain);
      bench.jobs.end(id, converged());
      await bench.settle();
      await bench.join('a');
      await bench.delete('a');
      const started = bench.jobs.requests.length;
      bench.jobs.end(id, unreachable);
      await bench.settle();
      assert.match(
        (await bench.condition('a', 'Deleting'))?.message ?? '',
        /could not be removed from the host: .*SSH connection failed/,
      );
      await bench.advance(minutes(2));
      assert.equal(bench.jobs.requests.length, started + 1);
      await bench.advance(minutes(61));
      bench.jobs.end(id, unreachable);
      await bench.advance(minutes(1));
      assert.equal(await bench.find('a'), undefined);
      assert.equal(wipes(), 0);
    });
  });
});
