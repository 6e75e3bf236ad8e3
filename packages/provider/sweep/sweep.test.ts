import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { type MemoryVendorOptions, memoryId } from '@minifleet/vendors/testing';
import { type ClaimsBench, claimsBench, machines, PREFIX } from '../claims/testing/claims-bench.ts';
import { hostClaims, readClaim } from '../claims/write-claim.ts';
import { clusters } from '../cluster-api/kinds.ts';
import { sweepController } from './sweep-controller.ts';
import type { SweepReport } from './sweep-report.ts';

const key = { namespace: 'fleet', name: 'a' };
const id = memoryId(1);
const every = minutes(15);

interface SweepBench extends ClaimsBench {
  readonly reports: SweepReport[];
  /** The report of the next sweep. */
  readonly sweep: () => Promise<SweepReport>;
}

/** A machine `a` that holds the only host, its Cluster, and the sweep under way. */
async function swept(
  t: TestContext,
  { reclaim = true, onCall }: { reclaim?: boolean; onCall?: NonNullable<MemoryVendorOptions['onCall']> } = {},
): Promise<SweepBench> {
  const bench = await claimsBench({ servers: [{ name: `${PREFIX}1` }], ...(onCall ? { onCall } : {}) });
  const { api, clock, vendors, clusterId } = bench;
  await api.client.create(clusters, { metadata: { namespace: 'fleet', name: 'mac' } });
  await bench.holding(await bench.provider(), 'a');
  const reports: SweepReport[] = [];
  const settings = { defaultPoolPrefix: PREFIX, namespace: undefined, sweep: { every, zones: ['fr-par-1'], reclaim } };
  t.after(bench.close);
  const onReport = (report: SweepReport): void => void reports.push(report);
  await bench.run(runtime => runtime.add(sweepController({ vendors, settings, clusterId, onReport })));
  return {
    ...bench,
    reports,
    async sweep() {
      await clock.advance(every);
      const report = reports.at(-1);
      assert.ok(report);
      return report;
    },
  };
}

const writes = ({ vendor }: ClaimsBench) =>
  vendor.calls.filter(({ call }) => call === 'reinstall' || call === 'rename').length;
const nameOf = ({ vendor }: ClaimsBench) => vendor.find(id).name;

test('the first sweep comes at the start, the next after its time, and a fleet in order is left alone', async t => {
  const bench = await swept(t);
  const before = writes(bench);
  assert.equal(bench.reports.length, 1);
  const report = await bench.sweep();
  assert.equal(bench.reports.length, 2);
  assert.deepEqual(report.servers, { free: 0, claimed: 1, recorded: 0, pending: 0, foreign: 0 });
  assert.deepEqual([report.claims.held, report.returned, report.letGo], [1, 0, 0]);
  assert.equal(writes(bench), before);
});

test('I22 the host of a machine that was deleted by force goes back to the pool', async t => {
  const bench = await swept(t);
  await bench.api.client.delete(machines, key);
  const report = await bench.sweep();
  assert.deepEqual([report.claims.orphaned, report.returned], [1, 1]);
  assert.equal(nameOf(bench), `${PREFIX}1`);
  assert.equal(bench.vendor.find(id).stateWord, 'reinstalling');
  assert.equal(await readClaim(bench.api.client, id), undefined);
});

test('with reclaim off it is only counted', async t => {
  const bench = await swept(t, { reclaim: false });
  await bench.api.client.delete(machines, key);
  const report = await bench.sweep();
  assert.deepEqual([report.claims.orphaned, report.returned], [1, 0]);
  assert.equal(nameOf(bench), 'a');
});

test('after clusterctl move the hosts that were left behind are not touched', async t => {
  const bench = await swept(t);
  const pause = { type: 'merge', body: { spec: { paused: true } } } as const;
  await bench.api.client.patch(clusters, { namespace: 'fleet', name: 'mac' }, pause);
  await bench.api.client.delete(machines, key);
  assert.equal((await bench.sweep()).claims.leftBehind, 1);
  await bench.api.client.delete(clusters, { namespace: 'fleet', name: 'mac' });
  assert.equal((await bench.sweep()).claims.leftBehind, 1);
  await bench.api.client.create(clusters, { metadata: { namespace: 'fleet', name: 'mac' } });
  assert.equal((await bench.sweep()).claims.leftBehind, 1);
  assert.equal(nameOf(bench), 'a');
});

test('foreign, pending and free servers are counted and never touched', async t => {
  const bench = await swept(t);
  for (const name of ['somebody-elses', `${names.vendorNames.claimPendingPrefix}1`, `${PREFIX}2`, `${PREFIX}3`]) {
    bench.vendor.put({ name });
  }
  const before = writes(bench);
  const report = await bench.sweep();
  assert.deepEqual(report.servers, { free: 2, claimed: 1, recorded: 0, pending: 1, foreign: 1 });
  assert.equal(writes(bench), before);
});

test('a machine that appears after the look keeps its host', async t => {
  let appear = async (): Promise<void> => undefined;
  const bench = await swept(t, { onCall: ({ call }) => (call === 'servers' ? appear() : undefined) });
  await bench.api.client.delete(machines, key);
  // The caches were read before the vendor is asked.
  appear = async () => {
    appear = async () => undefined;
    await bench.machine('a', { claimRef: { name: id, epoch: 1 } });
  };
  const before = writes(bench);
  const report = await bench.sweep();
  assert.deepEqual([report.claims.orphaned, report.returned, writes(bench)], [1, 0, before]);
});

test('a machine that appears while its host is being returned stops the return', async t => {
  let appear = async (): Promise<void> => undefined;
  const bench = await swept(t, { onCall: ({ call }) => (call === 'images' ? appear() : undefined) });
  await bench.api.client.delete(machines, key);
  appear = async () => {
    await bench.machine('a', { claimRef: { name: id, epoch: 1 } });
  };
  const before = writes(bench);
  assert.match((await bench.sweep()).cutShort ?? '', /no longer an orphan/);
  assert.equal(writes(bench), before);
});

test('a failure of the last look aborts the sweep, which says so and comes again', async t => {
  const bench = await swept(t);
  await bench.api.client.delete(machines, key);
  await bench.clock.settle();
  const path = /scalewayapplesiliconmachines\/a$/;
  bench.api.faults.failNext({ match: { method: 'GET', path }, status: 403, reason: 'Forbidden', message: 'no rights' });
  const report = await bench.sweep();
  assert.match(report.cutShort ?? '', /no rights/);
  assert.equal(nameOf(bench), 'a');
  assert.equal((await bench.sweep()).returned, 1);
});

test('a zone that cannot be listed is named, and nothing is concluded from its silence', async t => {
  const bench = await swept(t);
  await bench.api.client.delete(machines, key);
  await bench.clock.settle();
  bench.vendor.failNext({ call: 'servers', when: 'before' });
  const report = await bench.sweep();
  assert.deepEqual([report.unseenZones, report.claims.orphaned, report.returned], [['fr-par-1'], 0, 0]);
  assert.ok(await readClaim(bench.api.client, id));
});

test('the claim says when somebody renamed its host, or the vendor took it back', async t => {
  const bench = await swept(t);
  bench.vendor.put({ id, name: 'theirs' });
  await bench.sweep();
  assert.equal((await readClaim(bench.api.client, id))?.status?.vendorName, 'theirs');
  bench.vendor.remove(id);
  const report = await bench.sweep();
  assert.equal((await readClaim(bench.api.client, id))?.status?.vendorName, '');
  assert.equal(report.claims.vanished, 1);
});

test('a host that the vendor took back, and whose machine is gone, leaves no claim', async t => {
  const bench = await swept(t);
  await bench.api.client.delete(machines, key);
  bench.vendor.remove(id);
  assert.equal((await bench.sweep()).letGo, 1);
  assert.deepEqual((await bench.api.client.list(hostClaims)).items, []);
});

test('a host that is just restarting is returned by a later sweep', async t => {
  const bench = await swept(t);
  await bench.api.client.delete(machines, key);
  await bench.vendor.reboot({ zone: 'fr-par-1', id });
  assert.equal((await bench.sweep()).returned, 0);
  bench.vendor.finish(id);
  assert.equal((await bench.sweep()).returned, 1);
});
