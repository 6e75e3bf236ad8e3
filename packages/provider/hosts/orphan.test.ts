import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type MacHost, names } from '@minifleet/api';
import { minutes, timestamp } from '@minifleet/clock';
import { isNotFound, type Node, nodes } from '@minifleet/kube';
import { memoryId, memoryServer } from '@minifleet/vendors/testing';
import { type Cluster, clusters } from '../cluster-api/kinds.ts';
import type { HostScope } from './host-scope.ts';
import { obstacleToReclaim } from './orphan.ts';
import { converged } from './testing/fake-jobs.ts';
import { HELD_SINCE, heldHost } from './testing/held-host.ts';
import { type HostBench, hostBench, hosts, machines } from './testing/host-bench.ts';

const DAY = minutes(24 * 60);
const id = memoryId(1);
const POOL = 'tuist-pool-';

const cluster = (created: number, paused = false) =>
  ({ metadata: { creationTimestamp: timestamp(created) }, spec: { paused } }) as Cluster;
const server = (name: string) => memoryServer(1, { name });
const withoutSince = (): MacHost => {
  const host = heldHost();
  return { ...host, metadata: { ...host.metadata, annotations: {} } };
};

/** A host of a machine that was deleted by force: its Cluster exists, and its server has the name of the machine. */
const orphan = { host: heldHost(), cluster: cluster(HELD_SINCE - DAY), server: server('a') };

const rows: readonly (readonly [string, Partial<HostScope>, RegExp | undefined])[] = [
  ['has the name of its machine', {}, undefined],
  ['was never renamed', { server: server('tuist-pool-1') }, undefined],
  ['lost its Cluster, as after clusterctl move', { cluster: undefined }, /its Cluster mac does not exist any more/],
  ['is in a paused Cluster', { cluster: cluster(HELD_SINCE - DAY, true) }, /is paused, as after clusterctl move/],
  ['is in a Cluster that was created after its claim', { cluster: cluster(HELD_SINCE + DAY) }, /does not exist/],
  ['has no time of its claim', { host: withoutSince() }, /does not exist/],
  ['was renamed by another cluster', { server: server('theirs') }, /named theirs at the vendor/],
];
for (const [when, scope, obstacle] of rows)
  test(`I22 a host without a machine that ${when} is ${obstacle ? 'left alone' : 'returned'}`, () => {
    const why = obstacleToReclaim({ ...orphan, ...scope });
    if (obstacle) assert.match(why ?? '', obstacle);
    else assert.equal(why, undefined);
  });

const opened: HostBench[] = [];
after(() => Promise.all(opened.map(bench => bench.stop())));

async function open(reclaim: boolean): Promise<HostBench> {
  const discovery = { every: minutes(1), zones: ['fr-par-1'], reclaim };
  const bench = await hostBench({ servers: [{ name: `${POOL}1` }] }, { settings: { discovery } });
  opened.push(bench);
  await bench.cluster();
  return bench;
}

/** A serving host whose machine was deleted by force. */
async function orphaned(reclaim: boolean): Promise<HostBench> {
  const bench = await open(reclaim);
  await bench.claim(await bench.machine('a'), id);
  bench.jobs.end(id, converged());
  await bench.settle();
  await bench.node('a', `${names.providerIDScheme}://fr-par-1/${id}`);
  await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
  await bench.settle();
  return bench;
}

const effects = (bench: HostBench): string[] =>
  bench.vendor.calls.map(({ call }) => call).filter(call => call === 'reinstall' || call === 'reboot');
const find = async (bench: HostBench): Promise<Node | undefined> => bench.api.client.find(nodes, { name: 'a' });
const message = async (bench: HostBench): Promise<string> => (await bench.condition(id, 'Ready'))?.message ?? '';

test('I22 a host without a machine is reported and left as it is by default', async () => {
  const bench = await orphaned(false);
  assert.match(await message(bench), /the machine fleet\/a does not exist; set provider\.reclaimOrphans/);
  await bench.clock.advance(minutes(60));
  await bench.settle();
  assert.deepEqual(effects(bench), []);
  assert.equal((await bench.host(id)).spec.consumerRef?.name, 'a');
});

test('I22 with --reclaim-orphans a host without a machine is reinstalled, returned to its pool, and loses its Node', async () => {
  const bench = await orphaned(true);
  bench.vendor.finish(id);
  await bench.discover();
  assert.deepEqual(effects(bench), ['reinstall']);
  assert.deepEqual(await bench.states(), [`Available ${POOL}1`]);
  assert.equal(await find(bench), undefined);
  assert.equal(bench.reclaimed, 1);
  assert.ok(bench.events.some(({ reason }) => reason === 'OrphanReclaimed'));
});

test('a host whose Cluster is paused is not returned, because clusterctl may have moved its machine', async () => {
  const bench = await orphaned(false);
  const paused = { type: 'merge', body: { spec: { paused: true } } } as const;
  await bench.api.client.patch(clusters, { namespace: 'fleet', name: 'mac' }, paused);
  bench.settings = { ...bench.settings, discovery: { ...bench.settings.discovery, reclaim: true } };
  await bench.restart();
  await bench.discover();
  assert.deepEqual(effects(bench), []);
  assert.match(await message(bench), /is paused, as after clusterctl move/);
});

test('the deletion of a MacHost without a machine ends the hold and leaves the Mac as it is', async () => {
  const bench = await orphaned(false);
  await bench.api.client.delete(hosts, { name: id });
  await bench.settle();
  assert.ok(bench.events.some(({ reason }) => reason === 'LetGo'));
  await assert.rejects(bench.host(id), isNotFound);
  assert.deepEqual(effects(bench), []);
  assert.equal(bench.vendor.find('a').id, id);
});

test('a machine of the same name that was created again keeps the host from being returned', async () => {
  const bench = await open(true);
  await bench.claim(await bench.machine('a'), id);
  const { spec } = await bench.api.client.get(machines, { namespace: 'fleet', name: 'a' });
  await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
  await bench.machine('a', spec);
  await bench.settle();
  assert.match(await message(bench), /the machine fleet\/a was created again/);
  assert.deepEqual(effects(bench), []);
});
