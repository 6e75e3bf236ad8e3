import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { findCondition } from '@minifleet/kube';
import { noted, passed, waiting } from './phase.ts';
import { readyFrom, summarize } from './ready.ts';
import type { PhaseResult } from './run-phases.ts';
import { scopeOf } from './testing/scope-of.ts';

const claimed: PhaseResult = { condition: 'HostClaimed', end: passed('HostClaimed') };
const noNode: PhaseResult = { condition: 'NodeReady', end: waiting('WaitingForNode', 'no Node yet') };
const image = (reason: string): PhaseResult => ({ condition: 'OSImageCurrent', end: noted(reason, 'words') });
const host = (reason: string): PhaseResult => ({ condition: 'HostBootstrapped', end: noted(reason, 'words') });
const node: PhaseResult = { condition: 'NodeReady', end: passed('NodeReady') };

describe('Ready', () => {
  const table: readonly (readonly [string, readonly PhaseResult[], string])[] = [
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

  test('Ready stays as it was after a reconcile that could not observe', () => {
    for (const before of ['True', 'False'] as const) {
      const { machine } = scopeOf({}, { Ready: before });
      summarize(machine, { results: [claimed], unobserved: true }, fakeClock());
      assert.equal(findCondition(machine, 'Ready')?.status, before);
    }
  });

  test('Ready has the generation that was observed', () => {
    const { machine } = scopeOf();
    machine.metadata.generation = 7;
    summarize(machine, { results: [claimed], unobserved: false }, fakeClock());
    assert.equal(machine.status?.observedGeneration, 7);
    assert.equal(findCondition(machine, 'Ready')?.observedGeneration, 7);
  });
});
