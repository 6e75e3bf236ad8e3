import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { type Lease, leases, nodes, silentLog } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import { createNodeLease } from './node-lease.ts';

const key = { namespace: 'kube-node-lease', name: 'mini-01' };

async function open() {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const create = async (): Promise<string> =>
    (await api.client.create(nodes, { metadata: { name: 'mini-01' } })).metadata.uid ?? '';
  const state: { uid: string | undefined } = { uid: await create() };
  const lease = createNodeLease({
    client: api.client,
    clock,
    log: silentLog,
    nodeName: 'mini-01',
    nodeUid: () => state.uid,
  });
  const stop = new AbortController();
  const running = lease.run(stop.signal);
  await clock.settle();
  return {
    api,
    clock,
    state,
    lease,
    create,
    stored: (): Promise<Lease | undefined> => api.client.find(leases, key),
    async stop() {
      stop.abort();
      await running;
      assert.equal(clock.pending, 0);
    },
  };
}

test('the Node Lease lasts 40 s and is renewed every 10 s, with one request each', async () => {
  const bench = await open();
  const created = await bench.stored();
  assert.deepEqual(created?.spec, {
    holderIdentity: 'mini-01',
    leaseDurationSeconds: 40,
    renewTime: '2030-01-01T00:00:00.000000Z',
  });
  assert.deepEqual(created.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'Node', name: 'mini-01', uid: bench.state.uid },
  ]);
  const asked = bench.api.requests.length;
  await bench.clock.advance(seconds(30));
  assert.equal(bench.api.requests.length - asked, 3);
  assert.equal((await bench.stored())?.spec?.renewTime, '2030-01-01T00:00:30.000000Z');
  await bench.stop();
});

test('a Node Lease that another writer changed is read again and renewed', async () => {
  const bench = await open();
  const seen = (await bench.stored()) ?? assert.fail();
  await bench.api.client.update(leases, { ...seen, spec: { ...seen.spec, leaseTransitions: 7 } });
  await bench.clock.advance(seconds(10));
  const { spec } = (await bench.stored()) ?? assert.fail();
  assert.deepEqual([spec?.renewTime, spec?.leaseTransitions], ['2030-01-01T00:00:10.000000Z', 7]);
  await bench.stop();
});

test('a deleted Node Lease is created again', async () => {
  const bench = await open();
  await bench.api.client.delete(leases, key);
  await bench.clock.advance(seconds(11));
  assert.ok(await bench.stored());
  await bench.stop();
});

test('I37 a recreated Node owns a new Node Lease immediately', async () => {
  const bench = await open();
  await bench.api.client.delete(nodes, { name: 'mini-01' });
  bench.state.uid = await bench.create();
  bench.lease.renewNow();
  await bench.clock.advance(seconds(1));
  assert.equal((await bench.stored())?.metadata.ownerReferences?.[0]?.uid, bench.state.uid);
  await bench.stop();
});

test('no Node Lease is written without a Node, because nothing would garbage-collect it', async () => {
  const bench = await open();
  bench.state.uid = undefined;
  const asked = bench.api.requests.length;
  await bench.clock.advance(seconds(20));
  assert.equal(bench.api.requests.length, asked);
  await bench.stop();
});

test('a Node Lease renewal without a response does not stop later renewals', async () => {
  const bench = await open();
  bench.api.faults.delayNext({ by: seconds(300), match: { method: 'PUT' } });
  await bench.clock.advance(seconds(21));
  assert.ok(((await bench.stored())?.spec?.renewTime ?? '') >= '2030-01-01T00:00:20');
  await bench.stop();
});
