import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { memoryId, memoryServer } from '@minifleet/vendors/testing';
import { type ClaimsBench, claimsBench, PREFIX } from './testing/claims-bench.ts';
import { hostClaims } from './write-claim.ts';

const pool = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `${PREFIX}${index + 1}` }));
const claimsOf = async ({ api }: ClaimsBench) => (await api.client.list(hostClaims)).items;

test('a host is taken by its claim alone: nothing is written at the vendor', async t => {
  const bench = await claimsBench({ servers: pool(1) });
  t.after(bench.close);
  const claims = await bench.provider();
  const samm = await bench.machine('runners-a');
  const taken = await claims.take(samm);
  assert.equal(taken.kind, 'taken');
  const [claim] = await claimsOf(bench);
  assert.deepEqual(claim?.spec, {
    zone: 'fr-par-1',
    claimEpoch: 1,
    machineRef: { namespace: 'fleet', name: 'runners-a', uid: samm.metadata.uid },
    clusterID: bench.clusterId,
    poolPrefix: PREFIX,
    originalName: `${PREFIX}1`,
  });
  assert.deepEqual(claim.metadata.finalizers, [names.finalizers.hostClaim]);
  assert.deepEqual(
    bench.vendor.calls.map(({ call }) => call),
    ['servers', 'server'],
  );
});

test('without a pool nothing is asked of the vendor', async t => {
  const bench = await claimsBench({ servers: pool(1) });
  t.after(bench.close);
  const claims = await bench.provider({ settings: { defaultPoolPrefix: '' } });
  const taken = await claims.take(await bench.machine('runners-a'));
  assert.equal(taken.kind === 'none' && taken.reason, 'NoAdoptPoolPrefix');
  assert.deepEqual(bench.vendor.calls, []);
});

test('400 machines that ask at once cost one list of servers, and each gets a host of its own', async t => {
  const bench = await claimsBench({ servers: pool(400) });
  t.after(bench.close);
  const claims = await bench.provider();
  const machines = await Promise.all(Array.from({ length: 400 }, (_, index) => bench.machine(`m-${index}`)));
  const taken = await Promise.all(machines.map(samm => claims.take(samm)));
  const hosts = taken.flatMap(one => (one.kind === 'taken' ? one.claim.metadata.name : []));
  assert.equal(new Set(hosts).size, 400);
  assert.equal(bench.vendor.calls.filter(({ call }) => call === 'servers').length, 1);
  // Nobody ran into a host that somebody else here had taken.
  assert.equal(bench.api.requests.filter(({ method }) => method === 'POST').length - 400 - 1, 400);
});

test('a machine that comes too late is told what there is', async t => {
  const bench = await claimsBench({ servers: [...pool(1), { name: `${PREFIX}2`, type: 'M1-M' }] });
  t.after(bench.close);
  const claims = await bench.provider();
  await claims.take(await bench.machine('runners-a'));
  await bench.clock.advance(seconds(5));
  const none = await claims.take(await bench.machine('runners-b'));
  assert.equal(none.kind === 'none' && none.why, 'pool tuist-pool- in fr-par-1: 2 hosts, 1 held, 1 of another type');
});

test('two providers at once: the API server lets one win, the other takes the next host', async t => {
  const bench = await claimsBench({ servers: pool(2) });
  t.after(bench.close);
  const [one, other] = [await bench.provider(), await bench.provider()];
  const [a, b] = [await bench.machine('a'), await bench.machine('b')];
  const taken = await Promise.all([one.take(a), other.take(b)]);
  assert.deepEqual(taken.flatMap(end => (end.kind === 'taken' ? end.claim.metadata.name : [])).toSorted(), [
    memoryId(1),
    memoryId(2),
  ]);
});

test('a list that is behind the truth does not lead to a host that another cluster has renamed', async t => {
  const bench = await claimsBench({ servers: pool(2) });
  t.after(bench.close);
  const claims = await bench.provider();
  bench.vendor.holdLists();
  bench.vendor.put({ id: memoryId(1), name: 'theirs' });
  const taken = await claims.take(await bench.machine('a'));
  assert.equal(taken.kind === 'taken' && taken.server.id, memoryId(2));
  assert.deepEqual(
    (await claimsOf(bench)).map(({ metadata }) => metadata.name),
    [memoryId(2)],
  );
});

test('a claim that is kept for its record is taken over in the next epoch, and the record stays', async t => {
  const bench = await claimsBench({ servers: pool(1) });
  t.after(bench.close);
  await bench.api.client.create(hostClaims, {
    metadata: { name: memoryId(1) },
    spec: { zone: 'fr-par-1', claimEpoch: 4 },
  });
  const claims = await bench.provider();
  await claims.recordFailure(memoryId(1), { step: 'sudo', reason: 'StepFailed', message: 'no' });
  const samm = await bench.machine('a');
  const taken = await claims.take(samm);
  const claim = taken.kind === 'taken' ? taken.claim : undefined;
  assert.deepEqual(
    [claim?.spec.claimEpoch, claim?.spec.machineRef?.uid, claim?.metadata.finalizers, claim?.status?.failures?.length],
    [5, samm.metadata.uid, [names.finalizers.hostClaim], 1],
  );
});

test('the claim is found again when the answer to its creation was lost', async t => {
  const bench = await claimsBench({ servers: pool(2) });
  t.after(bench.close);
  const claims = await bench.provider();
  const samm = await bench.machine('a');
  bench.api.faults.dropNext({ match: { method: 'POST', path: /hostclaims/ }, when: 'after' });
  await assert.rejects(claims.take(samm), /connection lost/);
  await bench.clock.settle();
  assert.equal((await claims.rediscover(samm))?.metadata.name, memoryId(1));
  assert.equal((await claimsOf(bench)).length, 1);
});

test('a failed list is not kept: the next machine asks anew', async t => {
  const bench = await claimsBench({ servers: pool(1) });
  t.after(bench.close);
  const claims = await bench.provider();
  const samm = await bench.machine('a');
  bench.vendor.failNext({ call: 'servers', when: 'before' });
  await assert.rejects(claims.take(samm), { code: 'VENDOR_UNAVAILABLE' });
  assert.equal((await claims.take(samm)).kind, 'taken');
});

test('a server of the older system in the middle of a claim is adopted', async t => {
  const bench = await claimsBench({ servers: [memoryServer(1, { name: 'tuist-claim-pending-x' })] });
  t.after(bench.close);
  const claims = await bench.provider();
  assert.equal((await claims.take(await bench.machine('a'))).kind, 'taken');
});
