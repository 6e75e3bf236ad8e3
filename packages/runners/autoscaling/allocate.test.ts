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

test('where there is enough, every pool has what it would have alone', () => {
  assert.deepEqual(given({ a: [2, 1, 5], b: [0, 2, 4] }, 9), { a: 5, b: 4 });
});

test('jobs are given their runners beyond what there is: what stays Pending says that a host is missing', () => {
  assert.deepEqual(given({ a: [3, 1, 4], b: [2, 1, 3] }, 2), { a: 3, b: 2 });
});

test('a busy pool keeps its jobs, and an idle one is squeezed to its share of the rest', () => {
  assert.deepEqual(given({ busy: [6, 1, 8], idle: [0, 1, 4] }, 8), { busy: 6, idle: 2 });
});

test('a floor is squeezed to what the jobs of another leave', () => {
  assert.deepEqual(given({ busy: [10, 0, 10], warm: [0, 20, 20] }, 15), { busy: 10, warm: 5 });
});

test('what is left is split in proportion', () => {
  assert.deepEqual(given({ a: [1, 0, 5], b: [1, 0, 3] }, 5), { a: 3, b: 2 });
});

test('the one slot that two pools want goes to one of them, and not to nobody', () => {
  assert.deepEqual(given({ a: [0, 1, 1], b: [0, 1, 1] }, 1), { a: 1, b: 0 });
  assert.deepEqual(given({ a: [0, 0, 3], b: [0, 0, 3], c: [0, 0, 3] }, 5), { a: 2, b: 2, c: 1 });
});

test('floors go before what the last hour suggests', () => {
  assert.deepEqual(given({ hour: [0, 0, 6], floor: [0, 2, 2] }, 4), { hour: 2, floor: 2 });
});

test('no pool has more than it wants, and together no more than there is beyond their jobs', () => {
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

test('without a slot there are only runners for jobs', () => {
  assert.deepEqual(given({ a: [2, 3, 7], b: [0, 1, 4] }, 0), { a: 2, b: 0 });
});

test('a pool whose jobs are withheld has one runner though nine are full, and gets none without that signal', () => {
  assert.deepEqual(given({ full: [9, 0, 9], b: [1, 0, 1], c: [1, 0, 1] }, 9), { full: 9, b: 1, c: 1 });
  assert.deepEqual(given({ full: [9, 0, 9], b: [0, 0, 0], c: [0, 0, 0] }, 9), { full: 9, b: 0, c: 0 });
  assert.deepEqual(given({ full: [9, 1, 10], b: [1, 0, 1] }, 20), { full: 10, b: 1 });
  assert.deepEqual(given({ full: [9, 0, 9], b: [4, 0, 4] }, 9), { full: 9, b: 4 });
});

test('no pools, no shares', () => assert.deepEqual(given({}, 4), {}));
