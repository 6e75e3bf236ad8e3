import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { hostConditions, machineConditions, runnerPoolConditions } from '@minifleet/api';
import { ADVICE, adviceFor } from './advice.ts';

const reasons = [machineConditions, hostConditions, runnerPoolConditions].flatMap(catalogue =>
  Object.values(catalogue).flatMap(entry => Object.keys(entry.reasons)),
);

test('every advice has an existing reason and names existing runbooks', () => {
  for (const [reason, words] of Object.entries(ADVICE)) {
    assert.ok(reasons.includes(reason), reason);
    for (const [page] of words.matchAll(/docs\/runbooks\/[\w-]+\.md/g)) {
      assert.ok(existsSync(new URL(`../../../${page}`, import.meta.url)), page);
    }
  }
});

test('advice fills in known values and shows a placeholder for unknown ones', () => {
  assert.equal(adviceFor('NodeNotReady', { address: '203.0.113.7' }), 'minifleet host doctor 203.0.113.7');
  assert.equal(adviceFor('NodeNotReady', {}), 'minifleet host doctor <address>');
  assert.equal(adviceFor('BootstrapRunning', {}), undefined);
});
