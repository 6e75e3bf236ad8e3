import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlan } from './plan.ts';
import { drift, planRemoval, planStep } from './step.ts';
import { anyStep } from './testing/small-steps.ts';

test('a plan’s fingerprint moves with every step, expected value and order', () => {
  const [one, two] = [anyStep('one'), anyStep('two')];
  const plans = [[], [one], [two], [one, two], [two, one], [one, { ...two, identity: 'another' }]];
  const fingerprints = plans.map(steps => createPlan(steps).fingerprint);
  assert.equal(new Set(fingerprints).size, plans.length);
  assert.equal(createPlan([one, two]).fingerprint, fingerprints[3]);
});

test('how a step is carried out is not what is wanted: it does not move the fingerprint', () => {
  const step = anyStep('one');
  const other = { ...step, title: 'called otherwise', inspect: async () => drift('x') };
  assert.equal(createPlan([other]).fingerprint, createPlan([step]).fingerprint);
});

test('turning a step off is another plan than leaving it out', () => {
  const removal = { inspect: async () => drift('x'), change: async () => [] };
  const { title, disturbs, timeout } = anyStep('one');
  const inspect = async () => drift('x');
  const step = { id: 'one', title, disturbs, timeout, inspect, change: async () => [], removal };
  const plans = [[planStep(step, 'x')], [planRemoval(step)], []];
  assert.equal(new Set(plans.map(steps => createPlan(steps).fingerprint)).size, plans.length);
});

test('two steps of one name are refused', () => {
  assert.throws(() => createPlan([anyStep('one'), anyStep('one')]), /two steps of the plan are called one/);
});
