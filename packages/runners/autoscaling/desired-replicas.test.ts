import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desiredReplicas, loadOf } from './decide.ts';
import type { Signals } from './signals.ts';

const quiet: Signals = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };

/** Signals, floor, maximum and expected replicas. */
const table: readonly (readonly [string, Partial<Signals>, readonly [number, number], number | undefined])[] = [
  ['without a bound nobody scales', { claimed: 5, queued: 3, p95: 4 }, [2, 0], undefined],
  ['the last hour keeps runners warm', { p95: 5 }, [1, 30], 6],
  ['nothing to do is the floor', {}, [3, 30], 3],
  ['the floor comes on top of the last hour', { p95: 1 }, [3, 30], 4],
  ['jobs as many as in the last hour', { claimed: 5, p95: 5 }, [1, 30], 6],
  ['more jobs than in the last hour', { claimed: 8, queued: 3, p95: 5 }, [1, 30], 12],
  ['a runner that clears up is in use', { claimed: 1, occupied: 3, queued: 2 }, [1, 30], 6],
  ['only jobs that wait', { queued: 10, p95: 5 }, [1, 30], 11],
  ['never more than the most', { claimed: 25, queued: 10 }, [2, 20], 20],
  ['nothing at all', {}, [0, 30], 0],
  ['a withheld job has one runner to come to', { withheld: 1 }, [0, 30], 1],
  ['and forty have no more', { withheld: 40 }, [0, 30], 1],
  ['withheld beside others', { claimed: 4, occupied: 4, queued: 2, withheld: 9 }, [1, 30], 8],
  ['both counts of the same runners', { claimed: 8, occupied: 8, queued: 3, p95: 5 }, [1, 30], 12],
  ['withheld at the most', { occupied: 30, withheld: 5 }, [1, 30], 30],
];
for (const [name, known, [minWarmPoolFloor, maxReplicas], wanted] of table) {
  test(`${name}: ${JSON.stringify(known)}, floor ${minWarmPoolFloor}, most ${maxReplicas} → ${wanted}`, () => {
    assert.equal(desiredReplicas({ ...quiet, ...known }, { minWarmPoolFloor, maxReplicas }), wanted);
  });
}

test('the load counts a runner once, whether claimed, occupied or both', () => {
  for (const known of [{ claimed: 2 }, { occupied: 2 }, { claimed: 2, occupied: 2 }]) {
    assert.equal(loadOf({ ...quiet, ...known }), 2);
  }
});
