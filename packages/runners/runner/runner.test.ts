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
  test('the runner state table covers every Pod and registration state', () => {
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
    test(`the state of a runner whose Pod is ${pod}, by registration state`, () => {
      assert.deepEqual(
        SIGHTS.map(sight => runnerStates[pod][sight]),
        expected[pod],
      );
    });
  }
});

describe('what is done with a runner', () => {
  test('the runner action table covers every demand and runner state', () => {
    assert.deepEqual(Object.keys(runnerActions).sort(), ['needed', 'surplus']);
    for (const desire of ['needed', 'surplus'] as const)
      assert.deepEqual(Object.keys(runnerActions[desire]).sort(), [...STATES].sort(), desire);
  });

  const expected: Readonly<Record<Desire, readonly RunnerAction[]>> = {
    needed: ['wait', 'register', 'keep', 'keep', 'wait', 'keep', 'reap', 'wait', 'clear'],
    surplus: ['retire', 'retire', 'retire', 'keep', 'retire', 'keep', 'reap', 'wait', 'clear'],
  };
  for (const desire of ['needed', 'surplus'] as const) {
    test(`the action for a ${desire} runner by state`, () => {
      assert.deepEqual(
        STATES.map(state => runnerActions[desire][state]),
        expected[desire],
      );
    });
  }

  test('no action removes a runner with a job or in an unknown state', () => {
    for (const state of ['busy', 'unseen'] as const) assert.equal(runnerActions.surplus[state], 'keep');
  });
});
