import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedPod } from '../testing/pods-bench.ts';
import { desiredState, type PodAction, podTable } from './pod-table.ts';

const DESIRED = ['absent', 'active', 'terminating', 'finished'] as const;
const OBSERVED = ['none', 'launching', 'incomplete', 'starting', 'running', 'must restart', 'exited'] as const;
const ends: readonly PodAction[] = ['stop', 'cancel launch', 'release', 'finish', 'forget'];

test('the Pod table has an action for every pair of desired and observed state', () => {
  assert.deepEqual(Object.keys(podTable).sort(), [...DESIRED].sort());
  for (const row of DESIRED) assert.deepEqual(Object.keys(podTable[row]).sort(), [...OBSERVED].sort(), row);
});

test('the Pod table starts nothing for an absent, terminating or finished Pod', () => {
  for (const row of ['absent', 'terminating', 'finished'] as const) {
    for (const column of OBSERVED) assert.ok(ends.includes(podTable[row][column]), `${row} × ${column}`);
  }
});

test('the Pod table stops a live guest of an absent, terminating or finished Pod first', () => {
  for (const row of ['absent', 'terminating', 'finished'] as const) {
    for (const column of ['starting', 'running', 'must restart', 'incomplete'] as const) {
      assert.equal(podTable[row][column], 'stop', `${row} × ${column}`);
    }
  }
});

test('the Pod table releases only terminating Pods', () => {
  const releasing = DESIRED.filter(row => Object.values(podTable[row]).includes('release'));
  assert.deepEqual(releasing, ['terminating']);
});

test('I09: a finished Pod with a deletionTimestamp is terminating, not finished', () => {
  const metadata = { name: 'done', deletionTimestamp: '2030-01-01T00:00:00Z' };
  for (const phase of ['Succeeded', 'Failed'] as const) {
    const pod = storedPod('done', {}, { metadata, status: { phase } });
    assert.equal(desiredState({ pod, exit: undefined, failure: undefined, replaced: false }), 'terminating');
  }
});
