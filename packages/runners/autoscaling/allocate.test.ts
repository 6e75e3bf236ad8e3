import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocate, type Claimant } from './allocate.ts';

/** `{ a: [load, floor, target] }` and the slots there are. */
const given = (pools: Readonly<Record<string, readonly [number, number, number]>>, slots: number) => {
  const claimants = Object.entries(pools).map(
    ([key, [load, floor, target]]): Claimant => ({ key, load, floor, target }),
  );
  return Object.fromEntries(allocate(claimants, slots));
};

test('with enough slots every pool gets its target', () => {
  assert.deepEqual(given({ a: [2, 1, 5], b: [0, 2, 4] }, 9), { a: 5, b: 4 });
});

test('jobs get runners beyond the capacity, and Pending Pods show the missing host', () => {
  assert.deepEqual(given({ a: [3, 1, 4], b: [2, 1, 3] }, 2), { a: 3, b: 2 });
});

test('a busy pool keeps its jobs, and an idle pool gets its share of the rest', () => {
  assert.deepEqual(given({ busy: [6, 1, 8], idle: [0, 1, 4] }, 8), { busy: 6, idle: 2 });
});

test('a floor is reduced to what jobs of other pools leave', () => {
  assert.deepEqual(given({ busy: [10, 0, 10], warm: [0, 20, 20] }, 15), { busy: 10, warm: 5 });
});

test('remaining slots are split in proportion', () => {
  assert.deepEqual(given({ a: [1, 0, 5], b: [1, 0, 3] }, 5), { a: 3, b: 2 });
});

test('a single slot for two pools goes to one of them', () => {
  assert.deepEqual(given({ a: [0, 1, 1], b: [0, 1, 1] }, 1), { a: 1, b: 0 });
  assert.deepEqual(given({ a: [0, 0, 3], b: [0, 0, 3], c: [0, 0, 3] }, 5), { a: 2, b: 2, c: 1 });
});

test('floors take precedence over the demand of the last hour', () => {
  assert.deepEqual(given({ hour: [0, 0, 6], floor: [0, 2, 2] }, 4), { hour: 2, floor: 2 });
});

test('no pool exceeds its target, and together they exceed the capacity only for jobs', () => {
  for (let slots = 0; slots <= 20; slots++) {
    const pools = { a: [2, 3, 7], b: [0, 1, 4], c: [1, 0, 9] } as const;
    const shares = given(pools, slots);
    for (const [key, [load, , target]] of Object.entries(pools)) {
      assert.ok((shares[key] ?? 0) <= target && (shares[key] ?? 0) >= load, `${key} at ${slots}`);
    }
    const all = Object.values(shares).reduce((one, other) => one + other, 0);
    assert.equal(all, Math.min(20, Math.max(3, slots)), `no slot is lost of ${slots}`);
  }
});

test('without slots only jobs get runners', () => {
  assert.deepEqual(given({ a: [2, 3, 7], b: [0, 1, 4] }, 0), { a: 2, b: 0 });
});

test('a pool with withheld jobs gets one runner on a full fleet', () => {
  assert.deepEqual(given({ full: [9, 0, 9], b: [1, 0, 1], c: [1, 0, 1] }, 9), { full: 9, b: 1, c: 1 });
  assert.deepEqual(given({ full: [9, 0, 9], b: [0, 0, 0], c: [0, 0, 0] }, 9), { full: 9, b: 0, c: 0 });
  assert.deepEqual(given({ full: [9, 1, 10], b: [1, 0, 1] }, 20), { full: 10, b: 1 });
  assert.deepEqual(given({ full: [9, 0, 9], b: [4, 0, 4] }, 9), { full: 9, b: 4 });
});

test('no pools give no allocations', () => assert.deepEqual(given({}, 4), {}));
