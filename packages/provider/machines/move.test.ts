import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { type InfraMachine, type MacHost, names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import { clusters } from '../cluster-api/kinds.ts';
import { hosts, type MachineBench, machineBench, machines } from './testing/machine-bench.ts';

const { blockMoveAnnotation, clusterNameLabel, pausedAnnotation } = names.clusterApi;
const { hostStatus } = names.annotations;
const id = memoryId(1);

describe('clusterctl move', () => {
  const opened: MachineBench[] = [];
  afterEach(async () => {
    for (const bench of opened.splice(0)) await bench.stop();
  });
  const open = async (options: Parameters<typeof machineBench>[0] = {}): Promise<MachineBench> => {
    const bench = await machineBench(options);
    opened.push(bench);
    return bench;
  };
  const pauseCluster = async (bench: MachineBench, paused: boolean): Promise<void> => {
    const key = { namespace: 'fleet', name: 'mac' };
    await bench.api.client.patch(clusters, key, { type: 'merge', body: { spec: { paused } } });
    await bench.settle();
  };

  /** A machine in service whose Cluster is paused, as clusterctl finds it. */
  async function source(): Promise<MachineBench> {
    const bench = await open();
    await bench.cluster();
    await bench.machine('a');
    await bench.join('a');
    assert.equal((await bench.get('a')).metadata.annotations?.[blockMoveAnnotation], '');
    await pauseCluster(bench, true);
    return bench;
  }

  /** Creates the copies of clusterctl, without status, in another management cluster with the same Macs. */
  async function moveTo(target: MachineBench, host: MacHost, machine: InfraMachine): Promise<void> {
    const { client } = target.api;
    const { labels = {}, annotations = {}, finalizers = [] } = host.metadata;
    await client.create(hosts, { metadata: { name: id, labels, annotations, finalizers }, spec: host.spec });
    await target.machine('a', machine.spec, { annotations: { [pausedAnnotation]: '' } });
    await target.node('a', machine.spec.providerID);
    await target.cluster();
    const { annotations: kept = {} } = (await target.get('a')).metadata;
    assert.ok(pausedAnnotation in kept);
  }

  test('clusterctl move waits for the status annotation of the MacHost, and the annotation has the journal', async () => {
    const bench = await source();
    const { annotations = {} } = (await bench.host(id))?.metadata ?? {};
    const saved = JSON.parse(annotations[hostStatus] ?? '{}') as MacHost['status'];
    assert.equal(saved?.state, 'Serving');
    assert.ok(saved?.servedSince);
    assert.ok(saved?.plan?.applied);
    assert.equal((await bench.get('a')).metadata.annotations?.[blockMoveAnnotation], undefined);
  });

  test('an unpaused Cluster undoes the preparation of a move: the annotation is removed and the machine blocks the next move', async () => {
    const bench = await source();
    await pauseCluster(bench, false);
    assert.equal((await bench.host(id))?.metadata.annotations?.[hostStatus], undefined);
    assert.equal((await bench.get('a')).metadata.annotations?.[blockMoveAnnotation], '');
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
  });

  test('clusterctl move gives the host to the machine with the new UID in the next epoch, in service and without a bootstrap', async () => {
    const bench = await source();
    const [host, machine] = [await bench.host(id), await bench.get('a')];
    assert.ok(host);
    const target = await open({ servers: [{ name: 'a' }], settings: { defaultPoolPrefix: 'tuist-pool-' } });
    await moveTo(target, host, machine);
    assert.notEqual((await target.get('a')).metadata.uid, machine.metadata.uid);
    await target.patch('a', { metadata: { annotations: { [pausedAnnotation]: null } } });
    await target.advance(minutes(1));
    const taken = await target.host(id);
    assert.equal(taken?.spec.consumerRef?.uid, (await target.get('a')).metadata.uid);
    assert.equal(taken?.spec.clusterID, target.clusterId);
    assert.equal(taken?.spec.claimEpoch, 2);
    assert.deepEqual((await target.get('a')).spec.claimRef, { name: id, epoch: 2 });
    assert.equal(taken?.status?.state, 'Serving');
    assert.equal(taken?.status?.servedSince, host.status?.servedSince);
    assert.equal(taken?.metadata.annotations?.[hostStatus], undefined);
    assert.equal((await target.condition('a', 'Ready'))?.status, 'True');
    assert.ok(target.jobs.requests.every(({ kind }) => kind === 'inspect'));
    assert.deepEqual(
      target.vendor.calls.filter(({ call }) => !['servers', 'server', 'images'].includes(call)),
      [],
    );
  });

  test('clusterctl move leaves a copy in the source cluster that has no further effect', async () => {
    const bench = await source();
    const calls = bench.vendor.calls.length;
    await bench.patch('a', { metadata: { annotations: { [names.clusterApi.deleteForMoveAnnotation]: '' } } });
    await bench.delete('a');
    await bench.advance(minutes(6));
    assert.deepEqual(
      bench.vendor.calls.slice(calls).filter(({ call }) => call !== 'servers' && call !== 'server'),
      [],
    );
    assert.equal(bench.vendor.find(id).name, 'a');
    assert.ok(
      (await bench.api.client.get(machines, { namespace: 'fleet', name: 'a' })).metadata.labels?.[clusterNameLabel],
    );
  });
});
