import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunnerPodState } from './pod-state.ts';
import type { RegistrationState } from './registration.ts';
import { type Desire, type PoolRunnerState, type RunnerAction, runnerActions, runnerStates } from './runner.ts';

const PODS: readonly RunnerPodState[] = ['absent', 'unbound', 'waiting', 'running', 'ended', 'terminating'];
const SIGHTS: readonly RegistrationState[] = ['none', 'unknown', 'offline', 'cut', 'idle', 'busy', 'absent'];
const STATES: readonly PoolRunnerState[] = [
  ...(['pending', 'starting', 'idle', 'busy', 'lost', 'unseen', 'ended', 'terminating', 'leftover'] as const),
];

describe('the state of a runner', () => {
  test('is said for every Pod and every registration, and for nothing else', () => {
    assert.deepEqual(Object.keys(runnerStates).sort(), [...PODS].sort());
    for (const pod of PODS) assert.deepEqual(Object.keys(runnerStates[pod]).sort(), [...SIGHTS].sort(), pod);
  });

  const expected: Readonly<Record<RunnerPodState, readonly PoolRunnerState[]>> = {
    absent: ['leftover', 'leftover', 'leftover', 'leftover', 'leftover', 'leftover', 'leftover'],
    unbound: ['pending', 'pending', 'pending', 'pending', 'pending', 'pending', 'pending'],
    waiting: ['starting', 'starting', 'starting', 'starting', 'idle', 'busy', 'lost'],
    running: ['starting', 'unseen', 'starting', 'lost', 'idle', 'busy', 'lost'],
    ended: ['ended', 'ended', 'ended', 'ended', 'ended', 'ended', 'ended'],
    terminating: [...Array.from({ length: 7 }, () => 'terminating' as const)],
  };
  for (const pod of PODS) {
    test(`of a Pod that is ${pod}, by what the forge says`, () => {
      assert.deepEqual(
        SIGHTS.map(sight => runnerStates[pod][sight]),
        expected[pod],
      );
    });
  }
});

describe('what is done with a runner', () => {
  test('is said for every desire and every state, and for nothing else', () => {
    assert.deepEqual(Object.keys(runnerActions).sort(), ['needed', 'surplus']);
    for (const desire of ['needed', 'surplus'] as const)
      assert.deepEqual(Object.keys(runnerActions[desire]).sort(), [...STATES].sort(), desire);
  });

  const expected: Readonly<Record<Desire, readonly RunnerAction[]>> = {
    needed: ['wait', 'register', 'keep', 'keep', 'wait', 'keep', 'reap', 'wait', 'clear'],
    surplus: ['retire', 'retire', 'retire', 'keep', 'retire', 'keep', 'reap', 'wait', 'clear'],
  };
  for (const desire of ['needed', 'surplus'] as const) {
    test(`when it is ${desire}`, () => {
      assert.deepEqual(
        STATES.map(state => runnerActions[desire][state]),
        expected[desire],
      );
    });
  }

  test('never takes one that has a job, or of which nobody knows whether it has one', () => {
    for (const state of ['busy', 'unseen'] as const) assert.equal(runnerActions.surplus[state], 'keep');
  });
});
