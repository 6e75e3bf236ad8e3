import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { incidents } from './incidents.ts';
import { hasOurWay, runOurWay } from './reenact.ts';

describe('Minifleet reaches the required result of every host incident', () => {
  for (const incident of incidents.filter(hasOurWay)) {
    const { id, title, ourWay } = incident;
    test(`${id} ${title}: ${ourWay.expected}`, async () => {
      const { output, gaps } = await runOurWay(incident);
      assert.match(output, ourWay.result);
      assert.deepEqual(gaps, []);
    });
  }
});
