import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianFigures } from './median-figures.ts';

test('medianFigures takes the median of each figure, also in nested objects', () => {
  const runs = [
    { seconds: 3, atRest: { requests: 10 } },
    { seconds: 1, atRest: { requests: 30 } },
    { seconds: 2, atRest: { requests: 20 } },
  ];
  assert.deepEqual(medianFigures(runs), { seconds: 2, atRest: { requests: 20 } });
});
