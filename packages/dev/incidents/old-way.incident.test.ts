import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { incidents } from './incidents.ts';
import { hasOldWay, runOldWay } from './reenact.ts';

describe('the original procedures fail as documented', () => {
  for (const incident of incidents.filter(hasOldWay)) {
    const { id, title, oldWay } = incident;
    test(`${id} ${title}: the original procedure fails as documented`, async () => {
      const { output, matches, gaps } = await runOldWay(incident);
      assert.ok(matches, `expected ${oldWay.symptom}, got: ${output}`);
      assert.deepEqual(gaps, [], 'requests that the world does not model');
    });
  }
});
