import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import {
  type Condition,
  type Conditioned,
  isConditionTrue,
  mergeConditions,
  removeCondition,
  setCondition,
} from './conditions.ts';

const condition = (type: string, status: Condition['status'], reason = 'Because'): Condition => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('conditions', () => {
  test('setCondition changes lastTransitionTime only with the status', async () => {
    const clock = fakeClock();
    const object: Conditioned = { metadata: { generation: 3 } };
    setCondition(object, { type: 'Ready', status: 'False', reason: 'Waiting' }, clock);
    await clock.advance(seconds(60));
    setCondition(object, { type: 'Ready', status: 'False', reason: 'StillWaiting', message: 'for a host' }, clock);
    assert.deepEqual(object.status?.conditions, [
      {
        type: 'Ready',
        status: 'False',
        reason: 'StillWaiting',
        message: 'for a host',
        lastTransitionTime: '2030-01-01T00:00:00Z',
        observedGeneration: 3,
      },
    ]);
    setCondition(object, { type: 'Ready', status: 'True', reason: 'Done' }, clock);
    assert.equal(object.status?.conditions?.[0]?.lastTransitionTime, '2030-01-01T00:01:00Z');
    assert.ok(isConditionTrue(object, 'Ready'));
  });

  test('removeCondition removes one condition and keeps the others', () => {
    const object: Conditioned = {
      metadata: {},
      status: { conditions: [condition('A', 'True'), condition('B', 'True')] },
    };
    removeCondition(object, 'A');
    assert.deepEqual(
      object.status?.conditions?.map(({ type }) => type),
      ['B'],
    );
  });

  test('mergeConditions applies own changes and keeps all other live conditions', () => {
    const before = [condition('Ours', 'False'), condition('Theirs', 'False'), condition('Dropped', 'True')];
    const after = [condition('Ours', 'True'), condition('Theirs', 'False'), condition('New', 'True')];
    const live = [
      condition('Theirs', 'True', 'TheyChangedIt'),
      condition('Ours', 'False'),
      condition('Foreign', 'True'),
      condition('Dropped', 'True'),
    ];
    assert.deepEqual(
      mergeConditions(before, after, live).map(({ type, status }) => `${type}=${status}`),
      ['Theirs=True', 'Ours=True', 'Foreign=True', 'New=True'],
    );
  });
});
