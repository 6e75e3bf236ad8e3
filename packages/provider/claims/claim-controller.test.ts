import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type HostClaim, names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { findCondition } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import { claimController } from './claim-controller.ts';
import { type ClaimsBench, claimsBench, machines, PREFIX } from './testing/claims-bench.ts';
import { providerIDOf } from './testing/provider-id.ts';
import { hostClaims, readClaim } from './write-claim.ts';

const id = memoryId(1);
const one = { servers: [{ name: `${PREFIX}1` }] };
const os = 'Tahoe';

/** The controller over the bench's API until the test ends. */
async function running(t: TestContext, namespace?: string): Promise<ClaimsBench> {
  const bench = await claimsBench(one);
  t.after(bench.close);
  await bench.run(runtime => runtime.add(claimController({ settings: { namespace }, clusterId: bench.clusterId })));
  return bench;
}

async function reasonsOf({ api, clock }: ClaimsBench): Promise<Record<string, string>> {
  await clock.settle();
  const claim = await readClaim(api.client, id);
  return Object.fromEntries(claim?.status?.conditions?.map(({ type, reason }) => [type, reason]) ?? []);
}

const edit = ({ api }: ClaimsBench, body: object) =>
  api.client.patch(hostClaims, { name: id }, { type: 'merge', body });

test('a claim that is in force says so, and a second look writes nothing', async t => {
  const bench = await running(t);
  const claims = await bench.provider();
  await bench.holding(claims, 'a');
  assert.deepEqual(await reasonsOf(bench), {
    Held: 'HeldByMachine',
    NameMirrored: 'NameMirrored',
    Quarantined: 'NotQuarantined',
    Ready: 'Ready',
    Deleting: 'NotDeleting',
  });
  const { resourceVersion } = bench.api;
  await edit(bench, { metadata: { labels: { seen: 'true' } } });
  await bench.clock.advance(minutes(30));
  assert.equal(Number(bench.api.resourceVersion), Number(resourceVersion) + 1, 'only the label');
});

test('a claim not yet mirrored waits for its name; one renamed by somebody else says by what', async t => {
  const bench = await running(t);
  const claims = await bench.provider();
  await claims.take(await bench.machine('a'));
  assert.equal((await reasonsOf(bench))['NameMirrored'], 'RenamePending');
  const body = { status: { vendorName: 'theirs' } };
  await bench.api.client.patch(hostClaims, { name: id }, { type: 'merge', body }, { subresource: 'status' });
  assert.equal((await reasonsOf(bench))['NameMirrored'], 'NameTaken');
  const claim = await readClaim(bench.api.client, id);
  assert.match(findCondition(claim as HostClaim, 'Ready')?.message ?? '', /NameMirrored: the host is named theirs/);
});

test('I13 a second machine that names the host is named in the claim', async t => {
  const bench = await running(t);
  await bench.holding(await bench.provider(), 'a');
  await bench.machine('b', { providerID: providerIDOf(id) });
  assert.equal((await reasonsOf(bench))['Held'], 'MultipleHolders');
  const claim = await readClaim(bench.api.client, id);
  assert.match(
    findCondition(claim as HostClaim, 'Held')?.message ?? '',
    /fleet\/a holds the host; fleet\/b also names it/,
  );
});

test('a claim deleted by hand waits for its holder and goes with it', async t => {
  const bench = await running(t);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  await bench.api.client.delete(hostClaims, { name: id });
  assert.equal((await reasonsOf(bench))['Deleting'], 'WaitingForHolder');
  await claims.release(samm, claim, { how: 'Quarantine', os });
  assert.equal(await readClaim(bench.api.client, id), undefined);
});

test('the claim of a machine that is being deleted says that its host goes back', async t => {
  const bench = await running(t);
  const { samm } = await bench.holding(await bench.provider(), 'a');
  const body = { metadata: { finalizers: [names.finalizers.machine] } };
  await bench.api.client.patch(machines, { namespace: 'fleet', name: samm.metadata.name }, { type: 'merge', body });
  await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
  assert.equal((await reasonsOf(bench))['Deleting'], 'ReturningHost');
});

test('a claim that nobody holds and that has no record is removed', async t => {
  const bench = await running(t);
  await bench.api.client.create(hostClaims, { metadata: { name: id }, spec: { zone: 'fr-par-1', claimEpoch: 3 } });
  await bench.clock.settle();
  assert.equal(await readClaim(bench.api.client, id), undefined);
});

test('a quarantine by a person is honoured at once, and its removal too', async t => {
  const bench = await running(t);
  const spec = { zone: 'fr-par-1', claimEpoch: 1, quarantine: { reason: 'fan is loud' } };
  await bench.api.client.create(hostClaims, { metadata: { name: id }, spec });
  assert.equal((await reasonsOf(bench))['Quarantined'], 'OperatorRequest');
  await edit(bench, { spec: { quarantine: null } });
  await bench.clock.settle();
  assert.equal(await readClaim(bench.api.client, id), undefined, 'nothing is left to be kept');
});

test('a quarantine ends by itself when its time is over; the record stays', async t => {
  const bench = await running(t);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  await claims.recordFailure(id, { step: 'login', reason: 'StepFailed', message: 'x' });
  await claims.release(samm, claim, { how: 'Quarantine', os });
  assert.equal((await reasonsOf(bench))['Quarantined'], 'FailedTooOften');
  await bench.clock.advance(minutes(59));
  assert.equal((await reasonsOf(bench))['Quarantined'], 'FailedTooOften');
  await bench.clock.advance(minutes(2));
  assert.equal((await reasonsOf(bench))['Quarantined'], 'NotQuarantined');
  const kept = await readClaim(bench.api.client, id);
  assert.deepEqual([kept?.status?.quarantine, kept?.status?.failures?.[0]?.reason], [undefined, 'StepFailed']);
});

test('a second claim of one machine, left by a process that was no longer the leader, is let go', async t => {
  const bench = await running(t);
  bench.vendor.put({ name: `${PREFIX}2` });
  const claims = await bench.provider();
  const { samm } = await bench.holding(claims, 'a');
  await (await bench.provider({ cache: { get: () => undefined, list: () => [] } })).take(samm);
  await bench.clock.settle();
  const left = (await bench.api.client.list(hostClaims)).items.map(({ metadata }) => metadata.name);
  assert.deepEqual(left, [id]);
});

test('the copy of another cluster’s claim is left alone, and goes when a person deletes it', async t => {
  const bench = await running(t);
  await bench.holding(await bench.provider({ clusterId: 'there' }), 'a');
  await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
  assert.equal((await reasonsOf(bench))['Held'], 'HeldByOtherCluster');
  await bench.api.client.delete(hostClaims, { name: id });
  await bench.clock.settle();
  assert.equal(await readClaim(bench.api.client, id), undefined);
});

test('a machine that is gone leaves its claim to the sweep', async t => {
  const bench = await running(t);
  await bench.holding(await bench.provider(), 'a');
  await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
  assert.equal((await reasonsOf(bench))['Held'], 'HolderMissing');
});

test('a provider of one namespace says nothing of the claims of others', async t => {
  const bench = await running(t, 'elsewhere');
  await bench.holding(await bench.provider(), 'a');
  assert.deepEqual(await reasonsOf(bench), {});
});
