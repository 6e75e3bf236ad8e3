import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds } from '@minifleet/clock';
import { type BootstrapConditionInput, servingCondition } from './bootstrap-condition.ts';
import type { HostJob } from './jobs/host-job.ts';
import type { HostJournal } from './journal.ts';
import type { ServingDecision } from './states/serving.ts';

const DESIRED = 'wave-plan';
const lastTransitionTime = '2030-01-01T00:00:00Z';
const failed: HostJournal = {
  plan: { desired: DESIRED, applied: DESIRED, failed: DESIRED },
  steps: [
    { name: 'pf', state: 'Done', lastTransitionTime },
    { name: 'sudo', state: 'Failed', reason: 'HostSudoRejected', message: 'sudo rejects', lastTransitionTime },
  ],
};
const unreachable: HostJournal = {
  plan: { desired: DESIRED, applied: DESIRED },
  contact: { state: 'Waiting', reason: 'HostUnreachable', message: 'no route', since: lastTransitionTime },
};
const inspection = { kind: 'inspect', state: { kind: 'running' } } as HostJob;
const repair = { kind: 'converge', state: { kind: 'running' } } as HostJob;

const conditionOf = (decision: ServingDecision, journal: HostJournal, job?: HostJob): string => {
  const input: BootstrapConditionInput = { now: 0, journal, job, vendorState: 'ready', bake: undefined };
  const { status, reason, message } = servingCondition(decision, input);
  return `${status} ${reason}: ${message}`;
};

/** Every decision that a host in service can get while the failure lasts, with the job that runs meanwhile. */
const whileItLasts: readonly (readonly [ServingDecision, HostJob | undefined])[] = [
  [{ do: 'wait for the job' }, inspection],
  [{ do: 'wait for the job' }, repair],
  [{ do: 'record the job' }, inspection],
  [{ do: 'record the job' }, repair],
  [{ do: 'inspect' }, undefined],
  [{ do: 'inspect' }, inspection],
  [{ do: 'repair', only: ['sudo'] }, repair],
  [{ do: 'roll out' }, repair],
];

for (const [decision, job] of whileItLasts)
  test(`I32 a step that failed for good stays reported: ${decision.do}, job ${job?.kind ?? 'none'}`, () => {
    assert.equal(conditionOf(decision, failed, job), 'False StepFailed: step sudo: sudo rejects');
  });

for (const decision of [{ do: 'inspect' }, { do: 'record the job' }] as const)
  test(`an unreachable host in service stays reported: ${decision.do}`, () => {
    assert.equal(conditionOf(decision, unreachable, inspection), 'False HostUnreachable: no route');
  });

test('a host in service without a failure keeps HostBootstrapped True during an inspection', () => {
  const journal: HostJournal = { plan: { desired: DESIRED, applied: DESIRED }, steps: [] };
  assert.equal(conditionOf({ do: 'wait for the job' }, journal, inspection), 'True HostBootstrapped: ');
  assert.equal(conditionOf({ do: 'nothing', until: milliseconds(5) }, journal), 'True HostBootstrapped: ');
});
