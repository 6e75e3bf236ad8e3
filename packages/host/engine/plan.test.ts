import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlan } from './plan.ts';
import { drift, planRemoval, planStep } from './step.ts';
import { anyStep } from './testing/small-steps.ts';

test('a plan fingerprint changes with steps, desired values and order', () => {
  const [one, two] = [anyStep('one'), anyStep('two')];
  const plans = [[], [one], [two], [one, two], [two, one], [one, { ...two, identity: 'another' }]];
  const fingerprints = plans.map(steps => createPlan(steps).fingerprint);
  assert.equal(new Set(fingerprints).size, plans.length);
  assert.equal(createPlan([one, two]).fingerprint, fingerprints[3]);
});

test('the implementation of a step does not change the plan fingerprint', () => {
  const step = anyStep('one');
  const other = { ...step, title: 'called otherwise', inspect: async () => drift('x') };
  assert.equal(createPlan([other]).fingerprint, createPlan([step]).fingerprint);
});

test('a removed step gives another plan than a missing step', () => {
  const removal = { inspect: async () => drift('x'), change: async () => [] };
  const { title, disturbs, timeout } = anyStep('one');
  const inspect = async () => drift('x');
  const step = { id: 'one', title, disturbs, timeout, inspect, change: async () => [], removal };
  const plans = [[planStep(step, 'x')], [planRemoval(step)], []];
  assert.equal(new Set(plans.map(steps => createPlan(steps).fingerprint)).size, plans.length);
});

test('a plan with two steps of one id is rejected', () => {
  assert.throws(() => createPlan([anyStep('one'), anyStep('one')]), /two steps of the plan are called one/);
});
