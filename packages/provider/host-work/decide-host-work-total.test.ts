import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostStep } from '@minifleet/api';
import { type Decision, decideHostWork, type Situation } from './decide-host-work.ts';
import { isWork } from './start-work.ts';
import { failing, fresh, LATER, PAST, step } from './testing/situations.ts';

const stepLists: readonly (readonly HostStep[])[] = [
  [],
  [step('tart', { state: 'Done' })],
  [failing('tart', 1, LATER)],
  [failing('tart', 9, PAST)],
  [failing('tart', 1)],
  [failing('(host)', 4, PAST)],
  [step('tart', { reason: 'HeldBack' })],
  [step('tart', { reason: 'RebootPending' })],
  [step('tart', { reason: 'DriftFound' })],
  [step('tart', { state: 'Running' })],
  [failing('(host)', 1, undefined, { reason: 'HostKeyRefused' })],
  [step('(wipe)')],
  [step('(restart)')],
  [step('(giving-up)')],
];

/** Every value each part of a situation can have, as far as a decision can tell them apart. */
const parts: { readonly [Part in keyof Situation]?: readonly Situation[Part][] } = {
  job: ['none', 'queued', 'running', 'ended'],
  steps: stepLists,
  plan: [{}, { applied: 'w1-old' }, { applied: 'w2-new' }, { failed: 'w2-new' }],
  server: ['ready', 'busy', 'broken'],
  joined: [false, true],
  runTold: [false, true],
  guests: [0, 1],
  mayBoot: [false, true],
  bake: [undefined, 'its runner is running a job'],
  canRestart: [false, true],
  canWipe: [false, true],
  letIn: [false, true],
  served: [false, true],
  permission: [{ go: true }, { go: false, why: 'not yet' }],
  inspectAt: [undefined, 0, Number.MAX_SAFE_INTEGER],
};

const situations = Object.entries(parts).reduce<Situation[]>(
  (made, [part, values]) => made.flatMap(one => values.map(value => ({ ...one, [part]: value }))),
  [fresh],
);

const serves = ({ joined, plan, served }: Situation): boolean => joined || plan.applied !== undefined || served;

/** What must hold of every decision, whatever the situation. */
const rules: Readonly<Record<string, (seen: Situation, decision: Decision) => boolean>> = {
  'there is always one': (_, decision) => decision.do !== undefined,
  'nothing is begun beside a job': ({ job }, decision) => job === 'none' || !isWork(decision),
  'nothing is begun while the vendor is at it': ({ server }, decision) => server === 'ready' || !isWork(decision),
  'nothing is begun before its time': ({ steps, runTold }, decision) =>
    runTold || !steps.some(({ nextAttemptTime }) => nextAttemptTime === LATER) || !isWork(decision),
  'what only a person helps is not tried without one': ({ steps, runTold }, decision) =>
    runTold || !steps.some(({ state }) => state === 'Failed') || !isWork(decision),
  'a roll that is begun has its turn': ({ steps, runTold, permission }, decision) =>
    decision.do !== 'roll' || permission.go || runTold || steps.some(({ reason }) => reason === 'HeldBack'),
  'no roll is begun during a bake': ({ bake, runTold }, decision) =>
    decision.do !== 'roll' || bake === undefined || runTold,
  'what serves is bootstrapped by nobody': (seen, decision) => decision.do !== 'bootstrap' || !serves(seen),
  'what serves, or served in another cluster, is neither given up nor restarted nor wiped': (seen, decision) =>
    !['announce giving up', 'announce a restart', 'announce a wipe'].includes(decision.do) || !serves(seen),
  'giving up, restarting and wiping are written down before they are done': ({ steps }, decision) =>
    (decision.do !== 'give up' || steps.some(({ name }) => name === '(giving-up)')) &&
    (decision.do !== 'restart' || steps.some(({ name }) => name === '(restart)')) &&
    (decision.do !== 'wipe' || steps.some(({ name }) => name === '(wipe)')),
  'what is as wanted is not gone through': ({ plan, steps, runTold }, decision) =>
    plan.applied !== 'w2-new' || steps.length > 0 || runTold || decision.do !== 'repair',
};

for (const [rule, holds] of Object.entries(rules)) {
  test(`in every situation: ${rule}`, () => {
    assert.ok(situations.length > 50_000, `${situations.length} situations`);
    const breach = situations.find(seen => !holds(seen, decideHostWork(seen)));
    assert.equal(breach && JSON.stringify({ ...breach, decision: decideHostWork(breach) }), undefined);
  });
}
