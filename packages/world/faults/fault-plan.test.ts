import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChance } from '../chance.ts';
import { createFaultPlan, type Fault, type FaultPoint } from './fault-plan.ts';

const point = (place: string, detail = ''): FaultPoint => ({ place, kind: 'request', detail });
const fail: Fault = { type: 'fail', code: 503, message: 'busy' };
const hang: Fault = { type: 'hang' };

test('fault plan: a rule applies where it matches, up to its number of times', () => {
  const plan = createFaultPlan(createChance('seed'), [{ place: 'scaleway', detail: /servers/, times: 2, fault: fail }]);
  const struck = ['servers/1', 'os', 'servers/2', 'servers/3'].map(
    detail => plan.strike(point('scaleway', detail)) !== undefined,
  );
  assert.deepEqual(struck, [true, false, true, false]);
  assert.equal(plan.strike(point('github', 'servers/1')), undefined);
});

test('fault plan: the first matching rule applies, and a cleared plan injects nothing', () => {
  const plan = createFaultPlan(createChance('seed'), [{ place: 'github', times: 1, fault: hang }]);
  plan.add({ fault: fail });
  assert.deepEqual([plan.strike(point('github')), plan.strike(point('github'))], [hang, fail]);
  plan.clear();
  assert.equal(plan.strike(point('github')), undefined);
});

test('fault plan: the seed decides about probabilities, the same way each time', () => {
  const strikes = (seed: string): boolean[] => {
    const plan = createFaultPlan(createChance(seed), [{ probability: 0.3, fault: fail }]);
    return Array.from({ length: 200 }, () => plan.strike(point('mac/mini-01')) !== undefined);
  };
  assert.deepEqual(strikes('one'), strikes('one'));
  const share = strikes('one').filter(Boolean).length / 200;
  assert.ok(share > 0.2 && share < 0.4, `${share}`);
});
