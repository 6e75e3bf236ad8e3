import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import { type ClaimsBench, claimsBench, machines, PREFIX } from './testing/claims-bench.ts';
import { hostClaims } from './write-claim.ts';

const one = { servers: [{ name: `${PREFIX}1` }] };
const renames = ({ vendor }: ClaimsBench) =>
  vendor.calls.filter(({ call }) => call === 'rename').map(({ name }) => name);

async function provisioned(bench: ClaimsBench, name: string) {
  const body = { status: { initialization: { provisioned: true } } };
  return bench.api.client.patch(
    machines,
    { namespace: 'fleet', name },
    { type: 'merge', body },
    { subresource: 'status' },
  );
}

test('the name at the vendor shows the claim, once, and the claim says what was seen', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  assert.equal(bench.vendor.find(memoryId(1)).name, 'a');
  assert.equal(claim.status?.vendorName, 'a');
  const again = await claims.mirror(samm, claim);
  assert.equal(again.kind === 'held' && again.mirrored, true);
  assert.deepEqual(renames(bench), ['a']);
});

test('a rename whose answer was lost is seen to have happened', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  bench.vendor.failNext({ call: 'rename', when: 'after' });
  await assert.rejects(bench.holding(claims, 'a'), { code: 'VENDOR_UNAVAILABLE' });
  const samm = await bench.api.client.get(machines, { namespace: 'fleet', name: 'a' });
  const standing = await claims.mirror(samm, await bench.api.client.get(hostClaims, { name: memoryId(1) }));
  assert.equal(standing.kind === 'held' && standing.mirrored, true);
  assert.deepEqual(renames(bench), ['a']);
});

test('a host that somebody outside the cluster renamed is let be before it became our Node', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  bench.vendor.put({ id: memoryId(1), name: 'theirs' });
  await bench.clock.advance(seconds(5));
  for (const standing of [await claims.standing(samm, claim), await claims.mirror(samm, claim)]) {
    assert.ok(standing.kind === 'not held' && standing.reason === 'ClaimLost' && /theirs/.test(standing.why));
  }
  assert.deepEqual(renames(bench), ['a']);
});

test('a host that became our Node is kept, renamed back, and said aloud', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { claim } = await bench.holding(claims, 'a');
  const samm = await provisioned(bench, 'a');
  bench.vendor.put({ id: memoryId(1), name: 'theirs' });
  await bench.clock.advance(seconds(5));
  const standing = await claims.standing(samm, claim);
  assert.equal(standing.kind === 'held' && standing.mirrored, false);
  await claims.mirror(samm, claim);
  assert.equal(bench.vendor.find(memoryId(1)).name, 'a');
  assert.deepEqual(
    bench.noted.map(({ reason, type }) => [reason, type]),
    [['NameTaken', 'Warning']],
  );
});

test('an old list that still shows the last holder does not make a machine stand down', async t => {
  const bench = await claimsBench({ servers: [{ name: 'earlier' }] });
  t.after(bench.close);
  const claims = await bench.provider();
  bench.vendor.holdLists();
  bench.vendor.put({ id: memoryId(1), name: `${PREFIX}1` });
  const made = await bench.machine('a');
  const claim = await bench.api.client.create(hostClaims, {
    metadata: { name: memoryId(1) },
    spec: {
      zone: 'fr-par-1',
      claimEpoch: 1,
      poolPrefix: PREFIX,
      machineRef: { namespace: 'fleet', name: 'a', uid: made.metadata.uid ?? '' },
    },
  });
  const standing = await claims.mirror(await bench.note(made, memoryId(1), 1), claim);
  assert.equal(standing.kind === 'held' && standing.mirrored, true);
});

test('a host the vendor no longer knows is vanished, also when it goes in the middle of a rename', async t => {
  let rename = (): void => undefined;
  const bench = await claimsBench({ ...one, onCall: ({ call }) => (call === 'rename' ? rename() : undefined) });
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  bench.vendor.put({ id: memoryId(1), name: `${PREFIX}1` });
  await bench.clock.advance(seconds(5));
  rename = () => bench.vendor.remove(memoryId(1));
  const during = await claims.mirror(samm, claim);
  const after = await claims.standing(samm, claim);
  assert.deepEqual(
    [during, after].map(end => end.kind === 'not held' && end.reason),
    ['HostVanished', 'HostVanished'],
  );
});

test('a machine whose claim passed to another in between does not rename', async t => {
  const bench = await claimsBench(one);
  t.after(bench.close);
  const claims = await bench.provider();
  const { samm, claim } = await bench.holding(claims, 'a');
  await claims.release(samm, claim, { how: 'Return', os: 'Tahoe' });
  bench.vendor.finish(memoryId(1));
  await bench.clock.advance(seconds(5));
  await bench.holding(claims, 'b');
  const standing = await claims.mirror(samm, claim);
  assert.equal(standing.kind === 'not held' && standing.reason, 'ClaimConflict');
  assert.equal(bench.vendor.find(memoryId(1)).name, 'b');
  await assert.rejects(claims.fence(samm), { code: 'CLAIM_LOST', message: /held by fleet\/b/ });
});

test('a process that renames a host just given back undoes it', async t => {
  let act = async (): Promise<void> => undefined;
  const bench = await claimsBench({ ...one, onCall: ({ name }) => (name === 'a' ? act() : undefined) });
  t.after(bench.close);
  const [stale, leader] = [await bench.provider(), await bench.provider()];
  const made = await bench.machine('a');
  const taken = await stale.take(made);
  assert.ok(taken.kind === 'taken');
  const samm = await bench.note(made, memoryId(1), 1);
  act = async () => {
    act = async () => undefined;
    await leader.release(samm, taken.claim, { how: 'Return', os: 'Tahoe' });
  };
  await assert.rejects(stale.mirror(samm, taken.claim), { code: 'CLAIM_LOST' });
  assert.equal(bench.vendor.find(memoryId(1)).name, `${PREFIX}1`);
});

test('the list of servers answers for everybody: 100 machines that look at once cost one call', async t => {
  const servers = Array.from({ length: 100 }, (_, index) => ({ name: `${PREFIX}${index}` }));
  const bench = await claimsBench({ servers });
  t.after(bench.close);
  const claims = await bench.provider();
  const holdings = await Promise.all(servers.map((_, index) => bench.holding(claims, `m-${index}`)));
  await bench.clock.advance(seconds(5));
  const before = bench.vendor.calls.length;
  const standings = await Promise.all(holdings.map(({ samm, claim }) => claims.standing(samm, claim)));
  assert.ok(standings.every(({ kind }) => kind === 'held'));
  assert.equal(bench.vendor.calls.length - before, 1);
});
