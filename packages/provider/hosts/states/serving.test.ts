import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostJournal } from '../journal.ts';
import { decideServing, type ServingDecision, type ServingInput } from './serving.ts';
import { contactFailing, failing, LATER, NOW, PAST, step } from './testing/journals.ts';

const base: ServingInput = {
  now: NOW,
  desired: 'w2-new',
  journal: {},
  job: 'none',
  server: 'ready',
  guests: 0,
  bake: undefined,
  mayBoot: false,
  permission: { go: true },
  rejoins: false,
  inspectAt: NOW + 1_000,
};
const runningJob = { id: 'x', startTime: PAST, deadlineTime: LATER };
const bake = 'its runner is running a job';
const notYet = { go: false, why: 'mini-01 is updated first' } as const;

/** A host with the desired plan, and one with an older plan. */
const kept = (journal: HostJournal = {}): ServingInput => ({
  ...base,
  journal: { plan: { applied: 'w2-new' }, ...journal },
});
const outdated = (journal: HostJournal = {}): ServingInput => ({
  ...base,
  journal: { plan: { applied: 'w1-old' }, ...journal },
});

type Row = readonly [string, ServingInput, ServingDecision['do'], object?];

const rows: readonly Row[] = [
  ['a running job is waited for', { ...kept(), job: 'running' }, 'wait for the job'],
  ['an ended job is recorded', { ...kept(), job: 'ended' }, 'record the job'],
  ['a restarting host is left alone', { ...outdated(), server: 'busy' }, 'wait for the vendor'],
  ['a host with the desired plan is left alone until its inspection', kept(), 'nothing', { until: NOW + 1_000 }],
  ['a host is inspected when it is due', { ...kept(), inspectAt: NOW }, 'inspect'],
  ['a host is never inspected if that is off', { ...kept(), inspectAt: undefined }, 'nothing', { until: undefined }],
  ['an unreachable host is inspected at its next attempt', kept({ contact: contactFailing(9, PAST) }), 'inspect'],
  [
    'an unreachable host is never given up or restarted',
    kept({ contact: contactFailing(99, LATER) }),
    'wait for the next attempt',
    { at: NOW + 60_000 },
  ],
  [
    'an agent that may have lost its credentials gets them although its job has failed for good',
    { ...kept({ steps: [step('agent-job', { state: 'Failed', reason: 'HostAgentNotStable' })] }), rejoins: true },
    'repair',
    { only: ['agent-credentials', 'agent-job'] },
  ],
  [
    'an agent of a host that does not respond gets credentials at the next attempt',
    { ...kept({ contact: contactFailing(9, LATER) }), rejoins: true },
    'wait for the next attempt',
  ],
  [
    'a host whose plan is not applied gets credentials with its next plan',
    { ...outdated(), rejoins: true },
    'roll out',
  ],
  [
    'an agent gets credentials while the rest of its plan waits for VMs',
    { ...outdated({ steps: [step('tart', { reason: 'HeldBack' })] }), rejoins: true, guests: 2 },
    'repair',
    { only: ['agent-credentials', 'agent-job'] },
  ],
  [
    'only the drifted step is repaired',
    kept({ steps: [step('tart', { state: 'Done' }), step('vm-egress', { reason: 'DriftFound' })] }),
    'repair',
    { only: ['vm-egress'] },
  ],
  [
    'the whole plan is repaired if a step fails alone three times',
    kept({ steps: [failing('agent-job', 3, PAST)] }),
    'repair',
    { only: undefined },
  ],
  [
    'the whole plan is repaired after a job that died with its process',
    kept({ job: runningJob }),
    'repair',
    { only: undefined },
  ],
  [
    'a repair that would stop VMs waits for them',
    { ...kept({ steps: [step('tart', { reason: 'HeldBack' })] }), guests: 2 },
    'wait for VMs to end',
  ],
  [
    'a repair that was held back follows when the VMs have ended',
    kept({ steps: [step('tart', { reason: 'HeldBack' })] }),
    'repair',
    { only: ['tart'] },
  ],
  [
    'drift is repaired during a bake, and each step checks for itself',
    { ...kept({ steps: [step('vm-egress', { reason: 'DriftFound' })] }), guests: 1, bake },
    'repair',
    { only: ['vm-egress'] },
  ],
  [
    'a pending boot waits while VMs can start',
    kept({ steps: [step('local-network', { reason: 'RebootPending' })] }),
    'nothing',
  ],
  [
    'a pending boot follows when no VM can start',
    { ...kept({ steps: [step('local-network', { reason: 'RebootPending' })] }), mayBoot: true },
    'repair',
    { only: ['local-network'], boots: true },
  ],
  ['a new plan is rolled out with permission', outdated(), 'roll out'],
  [
    'a new plan waits without permission',
    { ...outdated(), permission: notYet },
    'wait for its turn',
    { why: 'mini-01 is updated first' },
  ],
  [
    'a rollout that died with its process continues without permission',
    { ...outdated({ job: runningJob }), permission: notYet },
    'roll out',
  ],
  [
    'a rollout that would stop VMs waits for them',
    { ...outdated({ steps: [step('tart', { reason: 'HeldBack' })] }), guests: 1 },
    'wait for VMs to end',
    { steps: ['tart'] },
  ],
  [
    'a rollout that was held back is not retried before its time',
    outdated({ steps: [step('tart', { reason: 'HeldBack', nextAttemptTime: LATER })] }),
    'wait for VMs to end',
  ],
  [
    'a rollout that was held back follows when the VMs have ended',
    outdated({ steps: [step('tart', { reason: 'HeldBack' })] }),
    'roll out',
  ],
  [
    'a rollout never starts during a bake',
    { ...outdated({ steps: [step('tart', { reason: 'HeldBack' })] }), guests: 1, bake },
    'wait for its turn',
    { why: bake },
  ],
  [
    'I32 a plan that failed waits for its retry',
    outdated({ plan: { applied: 'w1-old', failed: 'w2-new' }, steps: [failing('agent-job', 1, LATER)] }),
    'wait for the next attempt',
  ],
  [
    'a plan that failed is tried again when its retry is due',
    outdated({ plan: { applied: 'w1-old', failed: 'w2-new' }, steps: [failing('agent-job', 1, PAST)] }),
    'roll out',
  ],
];

for (const [name, input, expected, details] of rows) {
  test(`Serving: ${name}`, () => {
    const decision = decideServing(input);
    assert.equal(decision.do, expected);
    if (details) assert.deepEqual({ ...decision, ...details }, decision);
  });
}

/** Values that a decision distinguishes. */
const values: { readonly [Key in keyof ServingInput]?: readonly ServingInput[Key][] } = {
  job: ['none', 'queued', 'running', 'ended'],
  server: ['ready', 'busy', 'broken'],
  guests: [0, 1],
  bake: [undefined, bake],
  mayBoot: [false, true],
  permission: [{ go: true }, notYet],
  inspectAt: [undefined, 0, Number.MAX_SAFE_INTEGER],
  journal: [{}, { applied: 'w1-old' }, { applied: 'w2-new' }, { failed: 'w2-new' }].flatMap(plan =>
    [
      {},
      { job: runningJob },
      { contact: contactFailing(4, PAST) },
      { contact: contactFailing(4, LATER) },
      { steps: [failing('tart', 1, LATER)] },
      { steps: [failing('tart', 9, PAST)] },
      { steps: [failing('tart', 1)] },
      { steps: [step('tart', { reason: 'HeldBack' })] },
      { steps: [step('tart', { reason: 'RebootPending' })] },
      { steps: [step('tart', { reason: 'DriftFound' })] },
      { steps: [step('tart', { state: 'Running' })] },
    ].map(journal => ({ plan, ...journal })),
  ),
};

const inputs = Object.entries(values).reduce<ServingInput[]>(
  (made, [key, each]) => made.flatMap(input => each.map(value => ({ ...input, [key]: value }))),
  [base],
);

const isWork = ({ do: what }: ServingDecision): boolean => ['roll out', 'repair', 'inspect'].includes(what);

const rules: Readonly<Record<string, (input: ServingInput, decision: ServingDecision) => boolean>> = {
  'no work starts beside a job': ({ job }, decision) => job === 'none' || !isWork(decision),
  'no work starts while the vendor works on the host': ({ server }, decision) =>
    server === 'ready' || !isWork(decision),
  'no work starts before the next attempt': ({ journal: { steps = [], contact, job } }, decision) =>
    job !== undefined || ![...steps, contact].some(one => one?.nextAttemptTime === LATER) || !isWork(decision),
  'a failure that needs an operator is not retried without one': ({ journal: { steps = [], job } }, decision) =>
    job !== undefined || !steps.some(({ state }) => state === 'Failed') || !isWork(decision),
  'a rollout has permission, had it, or was held back': ({ permission, journal: { steps = [], job } }, decision) =>
    decision.do !== 'roll out' || permission.go || job !== undefined || steps.some(one => one.reason === 'HeldBack'),
  'no rollout starts during a bake': ({ bake: job, journal }, decision) =>
    decision.do !== 'roll out' || job === undefined || journal.job !== undefined,
  'a host without differences is not repaired': ({ journal: { plan, steps = [], job } }, decision) =>
    plan?.applied !== 'w2-new' || steps.length > 0 || job !== undefined || decision.do !== 'repair',
};

for (const [rule, holds] of Object.entries(rules)) {
  test(`Serving, for every input: ${rule}`, () => {
    assert.ok(inputs.length > 10_000, `${inputs.length} inputs`);
    const breach = inputs.find(input => !holds(input, decideServing(input)));
    assert.equal(breach && JSON.stringify({ ...breach, decision: decideServing(breach) }), undefined);
  });
}
