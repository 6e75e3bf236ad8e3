import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desiredReplicas, loadOf } from './decide.ts';
import type { Signals } from './signals.ts';

const quiet: Signals = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };

/** Signals, floor, maximum and expected replicas. */
const table: readonly (readonly [string, Partial<Signals>, readonly [number, number], number | undefined])[] = [
  ['no maximum', { claimed: 5, queued: 3, p95: 4 }, [2, 0], undefined],
  ['demand of the last hour', { p95: 5 }, [1, 30], 6],
  ['floor without demand', {}, [3, 30], 3],
  ['floor and demand of the last hour', { p95: 1 }, [3, 30], 4],
  ['as many jobs as in the last hour', { claimed: 5, p95: 5 }, [1, 30], 6],
  ['more jobs than in the last hour', { claimed: 8, queued: 3, p95: 5 }, [1, 30], 12],
  ['occupied runners without a claim', { claimed: 1, occupied: 3, queued: 2 }, [1, 30], 6],
  ['queued jobs only', { queued: 10, p95: 5 }, [1, 30], 11],
  ['demand above the maximum', { claimed: 25, queued: 10 }, [2, 20], 20],
  ['no demand and no floor', {}, [0, 30], 0],
  ['one withheld job', { withheld: 1 }, [0, 30], 1],
  ['forty withheld jobs', { withheld: 40 }, [0, 30], 1],
  ['withheld and other jobs', { claimed: 4, occupied: 4, queued: 2, withheld: 9 }, [1, 30], 8],
  ['claimed and occupied runners', { claimed: 8, occupied: 8, queued: 3, p95: 5 }, [1, 30], 12],
  ['withheld jobs at the maximum', { occupied: 30, withheld: 5 }, [1, 30], 30],
];
for (const [name, known, [minWarmPoolFloor, maxReplicas], wanted] of table) {
  test(`desired replicas, ${name}: ${JSON.stringify(known)}, floor ${minWarmPoolFloor}, maximum ${maxReplicas} → ${wanted}`, () => {
    assert.equal(desiredReplicas({ ...quiet, ...known }, { minWarmPoolFloor, maxReplicas }), wanted);
  });
}

test('the load counts a runner once, whether claimed, occupied or both', () => {
  for (const known of [{ claimed: 2 }, { occupied: 2 }, { claimed: 2, occupied: 2 }]) {
    assert.equal(loadOf({ ...quiet, ...known }), 2);
  }
});
