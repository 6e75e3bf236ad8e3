import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { type CallName, memoryId, SEQUOIA, TAHOE } from '@minifleet/vendors/testing';
import { type ClaimsBench, claimsBench, machines, PREFIX } from './testing/claims-bench.ts';
import { hostClaims, readClaim } from './write-claim.ts';

const one = { servers: [{ name: `${PREFIX}1` }] };
const id = memoryId(1);
const os = 'macos-tahoe-26.3';
const written = ({ vendor }: ClaimsBench, from = 0) =>
  vendor.calls
    .slice(from)
    .filter(({ call }) => call === 'reinstall' || call === 'rename')
    .map(({ call, name, image }) => `${call} ${name ?? image ?? 'default'}`);
const claimOf = ({ api }: ClaimsBench) => readClaim(api.client, id);

test('I12 I22 a host goes back: wiped, then under its old name in the pool, then without a claim', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  const released = await claims.release(samm, claim, { how: 'Return', os });
  assert.equal(released.kind, 'released');
  assert.deepEqual(written(bench), ['rename a', 'reinstall macos-tahoe-26.3', `rename ${PREFIX}1`]);
  assert.equal(await claimOf(bench), undefined);
});

const lost: readonly (readonly [CallName, 'before' | 'after'])[] = [
  ['server', 'before'],
  ['images', 'before'],
  ['reinstall', 'before'],
  ['reinstall', 'after'],
  ['rename', 'before'],
  ['rename', 'after'],
];
for (const [call, when] of lost) {
  test(`a release cut short ${when} ${call} keeps the claim, and the next process ends it`, async t => {
    const bench = await claimsBench(one);
    t.after(bench.close);
    const { samm, claim } = await bench.holding(await bench.provider(), 'a');
    bench.vendor.failNext({ call, when });
    const first = (await bench.provider()).release(samm, claim, { how: 'Return', os });
    await assert.rejects(first, { code: 'VENDOR_UNAVAILABLE' });
    assert.ok((await claimOf(bench))?.spec.machineRef);
    const next = await bench.provider();
    let released = await next.release(samm, claim, { how: 'Return', os });
    if (released.kind === 'waiting') {
      bench.vendor.finish(id);
      released = await next.release(samm, claim, { how: 'Return', os });
    }
    assert.equal(released.kind, 'released');
    assert.equal(await claimOf(bench), undefined);
    const { name, stateWord } = bench.vendor.find(id);
    assert.deepEqual([name, stateWord], [`${PREFIX}1`, 'reinstalling']);
  });
}

for (const method of ['PUT', 'DELETE'] as const) {
  test(`a release whose answer to ${method} was lost is over for the next process`, async t => {
    const bench = await claimsBench(one);
    t.after(bench.close);
    const claims = await bench.provider();
    const { samm, claim } = await bench.holding(claims, 'a');
    bench.api.faults.dropNext({ match: { method, path: /hostclaims/ }, when: 'after' });
    await assert.rejects(claims.release(samm, claim, { how: 'Return', os }), /connection lost/);
    const before = bench.vendor.calls.length;
    const released = await (await bench.provider()).release(samm, claim, { how: 'Return', os });
    assert.equal(released.kind, 'released');
    assert.deepEqual(written(bench, before), []);
  });
}

test('a host that restarts is not taken for one that is being wiped', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  await bench.vendor.reboot({ zone: 'fr-par-1', id });
  const waiting = await claims.release(samm, claim, { how: 'Return', os });
  assert.ok(waiting.kind === 'waiting' && /rebooting/.test(waiting.why));
  assert.deepEqual(written(bench), ['rename a']);
  bench.vendor.finish(id);
  await claims.release(samm, claim, { how: 'Return', os });
  assert.deepEqual(written(bench), ['rename a', 'reinstall macos-tahoe-26.3', `rename ${PREFIX}1`]);
});

test('I31 a retired image falls back to its family, and a retired family to the default, with an event', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const newer = { ...TAHOE, name: 'macos-tahoe-26.7', version: '26.7' };
  for (const [offer, image, events] of [
    [[newer, SEQUOIA], 'macos-tahoe-26.7', []],
    [[SEQUOIA], 'default', ['OSPinUnavailable']],
  ] as const) {
    const { samm, claim } = await bench.holding(claims, `a${offer.length}`);
    bench.vendor.offer(offer);
    await claims.release(samm, claim, { how: 'Return', os });
    assert.equal(written(bench).at(-2), `reinstall ${image}`);
    assert.deepEqual(
      bench.noted.map(({ reason }) => reason),
      events,
    );
    bench.vendor.finish(id);
    bench.vendor.put({ id, image: TAHOE });
    await bench.clock.advance(seconds(5));
  }
});

test('a host the vendor no longer knows is released, whenever it goes', async t => {
  for (const going of ['server', 'reinstall', 'rename'] as const) {
    let go = (): void => undefined;
    const bench = await claimsBench({ ...one, onCall: ({ call }) => (call === going ? go() : undefined) });
    t.after(bench.close);
    const claims = await bench.provider();
    const { samm, claim } = await bench.holding(claims, 'a');
    go = () => bench.vendor.remove(id);
    const released = await claims.release(samm, claim, { how: 'Return', os });
    assert.ok(released.kind === 'released' && /no longer exists/.test(released.words), going);
    assert.equal(await claimOf(bench), undefined);
  }
});

test('a host that cannot be reinstalled goes back as it was left', async t => {
  const bench = await claimsBench({ ...one, can: { reinstall: false } });
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  await claims.release(samm, claim, { how: 'Return', os });
  assert.deepEqual(written(bench), ['rename a', `rename ${PREFIX}1`]);
});

test('a host taken over from the older system goes to the pool under a name of its own', async t => {
  const bench = await claimsBench({ servers: [{ name: 'a' }] });
  t.after(bench.close);
  const claims = await bench.provider();
  const made = await bench.machine('a', { providerID: `${names.providerIDScheme}://fr-par-1/${id}` });
  const claim = await claims.rediscover(made);
  assert.ok(claim);
  await claims.release(await bench.note(made, id, 1), claim, { how: 'Return', os });
  assert.equal(bench.vendor.find(id).name, `${PREFIX}${id.slice(0, 8)}`);
});

test('a host without a pool to go to is put aside until a person looks, under a name of no pool', async t => {
  const bench = await claimsBench({ servers: [{ name: 'a' }] });
  t.after(bench.close);
  const claims = await bench.provider({ settings: { defaultPoolPrefix: '' } });
  const made = await bench.machine('a', { providerID: `${names.providerIDScheme}://fr-par-1/${id}` });
  const claim = await claims.rediscover(made);
  assert.ok(claim);
  await claims.release(await bench.note(made, id, 1), claim, { how: 'Return', os });
  const kept = await claimOf(bench);
  assert.deepEqual(
    [kept?.spec.machineRef, kept?.status?.quarantine?.reasons, kept?.status?.quarantine?.until],
    [undefined, ['NoPoolPrefix'], undefined],
  );
  assert.equal(bench.vendor.find(id).name, `aside-${id.slice(0, 8)}`);
});

test('a broken host is put aside with its record instead of being wiped', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  bench.vendor.put({ id, state: 'broken', stateWord: 'hardware failure' });
  await claims.release(samm, claim, { how: 'Return', os });
  assert.deepEqual((await claimOf(bench))?.status?.quarantine?.reasons, ['HostBroken']);
});

test('a host given up is in quarantine before it is free, and is taken again when that is over', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  await claims.recordFailure(id, { step: 'login', reason: 'StepFailed', message: 'no Aqua session' });
  await claims.release(samm, claim, { how: 'Quarantine', os });
  bench.vendor.finish(id);
  const kept = await claimOf(bench);
  assert.deepEqual(
    [kept?.spec.machineRef, kept?.spec.clusterID, kept?.metadata.finalizers, kept?.status?.quarantine?.reasons],
    [undefined, undefined, [], ['StepFailed']],
  );
  await bench.clock.advance(seconds(5));
  const b = await bench.machine('b');
  const none = await claims.take(b);
  assert.ok(none.kind === 'none' && /1 quarantined/.test(none.why));
  await bench.clock.advance(minutes(60));
  const taken = await claims.take(b);
  assert.equal(taken.kind === 'taken' && taken.claim.spec.claimEpoch, 2);
});

test('a clean bootstrap starts the record anew', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  await bench.holding(claims, 'a');
  await claims.recordFailure(id, { step: 'login', reason: 'StepFailed', message: 'x' });
  await claims.recordSuccess(id);
  assert.equal((await claimOf(bench))?.status?.failures, undefined);
  const writes = bench.api.requests.length;
  await claims.recordSuccess(id);
  assert.equal(bench.api.requests.length - writes, 1, 'one read, no write');
});

test('a failure is recorded though somebody else writes at the same time', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  await bench.holding(claims, 'a');
  const reasons = ['A', 'B', 'C', 'D'];
  await Promise.all(reasons.map(reason => claims.recordFailure(id, { step: 's', reason, message: '' })));
  assert.deepEqual((await claimOf(bench))?.status?.failures?.map(({ reason }) => reason).toSorted(), reasons);
});

test('a retained host is left as it is, and neither adopted nor held', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  await claims.release(samm, claim, { how: 'Retain', os });
  assert.deepEqual(written(bench), ['rename a', 'rename retained-a']);
  const kept = await claimOf(bench);
  assert.equal(kept?.spec.machineRef, undefined);
  assert.match(kept?.spec.quarantine?.reason ?? '', /^Retained by fleet\/a: .* remove this quarantine$/);
  bench.vendor.put({ id, name: `${PREFIX}1` });
  await bench.clock.advance(seconds(5));
  assert.equal((await claims.take(await bench.machine('b'))).kind, 'none');
});

test('a host that another cluster has renamed is not wiped when our machine goes', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  bench.vendor.put({ id, name: 'theirs' });
  const released = await claims.release(samm, claim, { how: 'Quarantine', os });
  assert.ok(released.kind === 'released' && /theirs/.test(released.words));
  assert.deepEqual(written(bench), ['rename a']);
  assert.equal(await claimOf(bench), undefined);
});

test('what is no longer the machine’s is not touched: another holder, a later epoch, no claim', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  await bench.api.client.update(hostClaims, { ...claim, spec: { ...claim.spec, claimEpoch: 2 } });
  await claims.release(samm, claim, { how: 'Return', os });
  await claims.release({ ...samm, metadata: { ...samm.metadata, name: 'b' } }, claim, { how: 'Return', os });
  assert.deepEqual(written(bench), ['rename a']);
  assert.ok((await claimOf(bench))?.spec.machineRef);
});

test('a claim that changes hands between two effects stops the release there', async t => {
  let act = async (): Promise<void> => undefined;
  const bench = await claimsBench({ ...one, onCall: ({ call }) => (call === 'images' ? act() : undefined) });
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  act = async () => {
    await bench.api.client.update(hostClaims, { ...claim, spec: { ...claim.spec, claimEpoch: 2 } });
  };
  await assert.rejects(claims.release(samm, claim, { how: 'Return', os }), { code: 'CLAIM_LOST' });
  assert.deepEqual(written(bench), ['rename a']);
});

test('a machine that was moved takes its claim over first, and then gives the host back', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const { claim } = await bench.holding(await bench.provider({ clusterId: 'source' }), 'a');
  await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
  const moved = await bench.machine('a', { claimRef: { name: id, epoch: 1 } });
  const claims = await bench.provider();
  const skipped = await claims.release(moved, claim, { how: 'Return', os });
  assert.ok(skipped.kind === 'released' && /UID from before clusterctl move/.test(skipped.words));
  assert.deepEqual(written(bench), ['rename a']);
  await claims.rediscover(moved);
  await claims.release(await bench.note(moved, id, 2), claim, { how: 'Return', os });
  assert.equal(bench.vendor.find(id).name, `${PREFIX}1`);
  assert.equal(await claimOf(bench), undefined);
});
