import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import { letGo } from './let-go.ts';
import { sameHold } from './release-host.ts';
import { claimsBench, PREFIX } from './testing/claims-bench.ts';
import { hostClaims, readClaim } from './write-claim.ts';

const id = memoryId(1);

test('a claim that passed to somebody else meanwhile is not let go', async t => {
  const bench = await claimsBench({ servers: [{ name: `${PREFIX}1` }] });
  t.after(bench.close);
  const { claim } = await bench.holding(await bench.provider(), 'a');
  const later = await bench.api.client.update(hostClaims, { ...claim, spec: { ...claim.spec, claimEpoch: 2 } });
  assert.equal(await letGo(bench.api.client, id, { still: sameHold(claim) }), false);
  assert.deepEqual((await readClaim(bench.api.client, id))?.spec, later.spec);
});

test('a claim without a record is taken by the next before it is removed: then it stays', async t => {
  const bench = await claimsBench({ servers: [{ name: `${PREFIX}1` }] });
  t.after(bench.close);
  const claims = await bench.provider();
  const { claim } = await bench.holding(claims, 'a');
  const { client } = bench.api;
  const next = await bench.machine('b');
  const takenFirst: typeof client = {
    ...client,
    async delete(...given) {
      await claims.take(next);
      return client.delete(...given);
    },
  };
  bench.vendor.put({ id, name: `${PREFIX}1` });
  await bench.clock.advance(seconds(5));
  await letGo(takenFirst, id, { still: sameHold(claim) });
  assert.equal((await readClaim(client, id))?.spec.machineRef?.name, 'b');
});

test('what is gone already is let go', async t => {
  const bench = await claimsBench({ servers: [] });
  t.after(bench.close);
  assert.equal(await letGo(bench.api.client, id, { still: () => true }), false);
});
