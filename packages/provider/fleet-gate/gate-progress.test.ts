import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { type FleetObjects, factsOf, giveUpReason, ProgressRecord } from './gate-progress.ts';

const limits = { timeout: minutes(240), progressTimeout: minutes(45), isVendorBusy: false };
const decide = (elapsed: number, sinceProgress: number, more: Partial<typeof limits> = {}) =>
  giveUpReason({ ...limits, ...more, elapsed: minutes(elapsed), sinceProgress: minutes(sinceProgress) });

test('the gate gives up after its timeout, or after a time without progress', () => {
  assert.equal(decide(200, 44), undefined);
  assert.equal(decide(200, 45), 'after 45m without progress');
  assert.equal(decide(240, 1), 'after 4h');
});

test('a busy vendor extends the wait without progress to two hours, and never shortens it', () => {
  assert.equal(decide(200, 119, { isVendorBusy: true }), undefined);
  assert.equal(decide(200, 120, { isVendorBusy: true }), 'after 2h without progress');
  assert.equal(decide(200, 130, { isVendorBusy: true, progressTimeout: minutes(180) }), undefined);
  assert.equal(decide(240, 1, { isVendorBusy: true }), 'after 4h');
});

test('only a fact that was not seen before is progress', () => {
  const record = new ProgressRecord(0);
  record.note(['a'], minutes(1));
  record.note(['b'], minutes(2));
  record.note(['a'], minutes(3));
  record.note([], minutes(4));
  assert.equal(record.age(minutes(10)), minutes(8));
});

test('the next claim of a host starts with new facts', () => {
  const at = (claimEpoch: number) =>
    factsOf({
      ...{ deployments: [], machines: [] },
      hosts: [{ metadata: { name: 'mini-01' }, spec: { claimEpoch }, status: { state: 'Claimed' } }],
    } as unknown as FleetObjects);
  assert.deepEqual([at(1), at(2)], [['mini-01/1 Claimed'], ['mini-01/2 Claimed']]);
});
