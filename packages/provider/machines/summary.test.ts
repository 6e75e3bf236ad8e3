import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { findCondition } from '@minifleet/kube';
import { noted, passed, waiting } from './phase.ts';
import type { Reached } from './run-phases.ts';
import { readyFrom, summarise } from './summary.ts';
import { scopeOf } from './testing/scope-of.ts';

const claimed: Reached = { condition: 'HostClaimed', end: passed('HostClaimed') };
const noNode: Reached = { condition: 'NodeReady', end: waiting('WaitingForNode', 'no Node yet') };
const image = (reason: string): Reached => ({ condition: 'OSImageCurrent', end: noted(reason, 'words') });
const host = (reason: string): Reached => ({ condition: 'HostBootstrapped', end: noted(reason, 'words') });
const node: Reached = { condition: 'NodeReady', end: passed('NodeReady') };

describe('Ready', () => {
  const table: readonly (readonly [string, readonly Reached[], string])[] = [
    ['holds when every phase passed', [claimed, node], ''],
    ['names the phase that waits', [claimed, noNode], 'NodeReady WaitingForNode: no Node yet'],
    ['holds with an image that is retired', [claimed, image('ImageRetired'), node], ''],
    ['holds with a family that is no longer offered', [claimed, image('FamilyNotOffered'), node], ''],
    ['holds while drift is repaired', [claimed, host('DriftFound'), node], ''],
    ['holds while a step is tried again', [claimed, host('StepWaiting'), node], ''],
    [
      'I32 does not hold with a step that failed for good',
      [host('StepFailed'), node],
      'HostBootstrapped StepFailed: words',
    ],
    [
      'does not hold with a host that is another',
      [host('HostKeyChanged'), node],
      'HostBootstrapped HostKeyChanged: words',
    ],
    ['names the first of two', [host('StepFailed'), noNode], 'HostBootstrapped StepFailed: words'],
    ['names no advice for a wait', [image('ImageRetired'), noNode], 'NodeReady WaitingForNode: no Node yet'],
  ];
  for (const [name, reached, message] of table) {
    test(name, () => {
      const ready = readyFrom(reached);
      assert.equal(ready.message, message);
      assert.equal(ready.status, message === '' ? 'True' : 'False');
      assert.equal(ready.reason, message === '' ? 'Ready' : 'NotReady');
    });
  }

  test('stays as it was after a pass that could not look', () => {
    for (const before of ['True', 'False'] as const) {
      const { samm } = scopeOf({}, { Ready: before });
      summarise(samm, { reached: [claimed], blind: true }, fakeClock());
      assert.equal(findCondition(samm, 'Ready')?.status, before);
    }
  });

  test('is about the generation that was seen', () => {
    const { samm } = scopeOf();
    samm.metadata.generation = 7;
    summarise(samm, { reached: [claimed], blind: false }, fakeClock());
    assert.equal(samm.status?.observedGeneration, 7);
    assert.equal(findCondition(samm, 'Ready')?.observedGeneration, 7);
  });
});
