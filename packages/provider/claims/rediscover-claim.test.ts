import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryId } from '@minifleet/vendors/testing';
import { type ClaimsBench, claimsBench, machines, PREFIX } from './testing/claims-bench.ts';
import { providerIDOf } from './testing/provider-id.ts';
import { hostClaims } from './write-claim.ts';

const one = { servers: [{ name: `${PREFIX}1` }] };
const claimOf = ({ api }: ClaimsBench, name = memoryId(1)) => api.client.get(hostClaims, { name });

test('the next process finds the claim that a crash left out of the spec', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const samm = await bench.machine('a');
  await (await bench.provider()).take(samm);
  const claim = await (await bench.provider()).rediscover(samm);
  assert.deepEqual(claim?.spec, (await claimOf(bench)).spec);
});

test('the same process finds it though its cache does not show it yet', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const samm = await bench.machine('a');
  const claims = await bench.provider({ cache: { get: () => undefined, list: () => [] } });
  await claims.take(samm);
  assert.equal((await claims.rediscover(samm))?.metadata.name, memoryId(1));
});

test('nothing is requested while claim and spec agree', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm } = await bench.holding(claims, 'a');
  const before = bench.api.requests.length;
  assert.equal((await claims.rediscover(samm))?.spec.claimEpoch, 1);
  assert.equal(bench.api.requests.length, before);
});

test('after clusterctl move the claim follows its machine: new UID, this cluster, next epoch', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const there = await bench.provider({ clusterId: 'source' });
  const { samm: source } = await bench.holding(there, 'a');
  await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
  const samm = await bench.machine('a', { claimRef: { name: memoryId(1), epoch: 1 } });
  const here = await bench.provider();
  const claim = await here.rediscover(samm);
  assert.deepEqual(
    [claim?.spec.machineRef?.uid, claim?.spec.clusterID, claim?.spec.claimEpoch],
    [samm.metadata.uid, bench.clusterId, 2],
  );
  await assert.rejects(there.fence(source), { code: 'CLAIM_LOST' });
  await assert.rejects(here.fence(samm), { code: 'CLAIM_LOST' }, 'before the epoch is in the spec nothing is done');
  await here.fence(await bench.note(samm, memoryId(1), 2));
});

test('an earlier machine of the same name leaves its claim to the sweep', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  await bench.holding(claims, 'a');
  await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
  assert.equal(await claims.rediscover(await bench.machine('a')), undefined);
});

async function older(bench: ClaimsBench, name: string) {
  const samm = await bench.machine(name, { providerID: providerIDOf(memoryId(1)) });
  const status = { serverID: memoryId(1) };
  return bench.api.client.patch(
    machines,
    { namespace: 'fleet', name: samm.metadata.name },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
}

test('an object of the older system gets the claim of exactly its host', async t => {
  const bench = await claimsBench({ servers: [{ name: 'a' }, { name: `${PREFIX}2` }] });
  t.after(bench.close);
  const claims = await bench.provider();
  const samm = await older(bench, 'a');
  assert.equal((await claims.rediscover(samm))?.metadata.name, memoryId(1));
  assert.equal((await claims.rediscover(samm))?.metadata.name, memoryId(1));
  assert.equal((await bench.api.client.list(hostClaims)).items.length, 1);
  assert.deepEqual(
    bench.vendor.calls.filter(({ call }) => call === 'rename'),
    [],
  );
});

test('I13 of three machines bound to one host, the one that the host is named after gets it; the others get CLAIM_CONFLICT and no other host', async t => {
  const bench = await claimsBench({ servers: [{ name: 'a' }, { name: `${PREFIX}2` }] });
  t.after(bench.close);
  const claims = await bench.provider();
  const [b, a, c] = [await older(bench, 'b'), await older(bench, 'a'), await older(bench, 'c')];
  await assert.rejects(claims.rediscover(b), { code: 'CLAIM_CONFLICT', message: /is named a at the vendor/ });
  await claims.rediscover(a);
  await assert.rejects(claims.rediscover(c), { code: 'CLAIM_CONFLICT', reason: 'ClaimConflict' });
  assert.equal((await claimOf(bench)).spec.machineRef?.name, 'a');
});

test('I13 the second of two machines of one name is told who holds the host', async t => {
  const bench = await claimsBench({ servers: [{ name: 'a' }] });
  t.after(bench.close);
  const claims = await bench.provider();
  await claims.rediscover(await older(bench, 'a'));
  await bench.clock.settle();
  const other = { ...(await older(bench, 'x')), metadata: { namespace: 'other', name: 'a', uid: 'other' } };
  await assert.rejects(claims.rediscover(other), { message: /fleet\/a holds it/ });
});

test('an object of the older system whose host the vendor does not know says so', async t => {
  const bench = await claimsBench({ servers: [] });
  t.after(bench.close);
  await assert.rejects((await bench.provider()).rediscover(await older(bench, 'a')), { reason: 'HostVanished' });
});
