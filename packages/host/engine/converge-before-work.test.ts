import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passTime, type TestHost, testHost } from '../testing/test-host.ts';
import { convergeBeforeWork } from './converge.ts';
import { createPlan } from './plan.ts';
import type { JournalEntry } from './run.ts';
import { current, drift, needsReboot, type PlannedStep } from './step.ts';
import { journalLines, states } from './testing/bring.ts';
import { anyStep, fileSteps } from './testing/small-steps.ts';

/** In force after a boot, unless it is `broken`. */
function atBoot({ mac }: TestHost, broken = false): PlannedStep {
  let state: 'missing' | 'written' | 'in force' = 'missing';
  mac.onBoot(() => {
    if (state === 'written' && !broken) state = 'in force';
  });
  return anyStep('at-boot', {
    inspect: async () => ({ missing: drift('missing'), written: needsReboot('not yet'), 'in force': current() })[state],
    async change() {
      state = 'written';
      return ['was written'];
    },
  });
}

async function bring(given: TestHost, steps: readonly PlannedStep[], only?: readonly string[]) {
  const { host, clock, redactor, transport } = given;
  const entries: JournalEntry[] = [];
  const report = await passTime(
    clock,
    convergeBeforeWork(host, createPlan(steps), {
      ...{ holder: 'a test', allow: 'running VMs', reboot: 'when needed', redactor, only },
      onEntry: entry => entries.push(entry),
      roundTrips: () => transport.roundTrips,
      finalSteps: ['agent'],
      allowForFinalSteps: 'new VMs',
    }),
  );
  return { ...report, entries };
}

test('workload steps run after the reboot that other steps need, in one report', async () => {
  const given = testHost();
  const report = await bring(given, [...fileSteps('agent'), atBoot(given)]);
  assert.equal(report.outcome, 'converged');
  assert.deepEqual(states(report), { agent: 'current', 'at-boot': 'current' });
  const happened = journalLines(report).filter(what => /^(changed|rebooting|back)/.test(what));
  assert.deepEqual(happened, ['changed at-boot', 'rebooting', 'back', 'changed agent']);
  assert.deepEqual(
    report.steps.map(({ id, changed, notes }) => [id, changed, notes.join()]),
    [
      ['agent', true, '/etc/minifleet-agent was written'],
      ['at-boot', true, 'was written'],
    ],
  );
  assert.equal(report.changes, 2);
  assert.equal(report.roundTrips, given.transport.roundTrips);
});

test('a host that is not in sync before workloads gets none', async () => {
  const given = testHost();
  const report = await bring(given, [...fileSteps('agent'), atBoot(given, true)]);
  assert.equal(report.error?.code, 'HOST_REBOOT_INEFFECTIVE');
  assert.ok(!journalLines(report).includes('changed agent'));
});

test('convergeBeforeWork applies only the selected steps', async () => {
  const given = testHost();
  const report = await bring(given, [...fileSteps('agent', 'other'), atBoot(given)], ['agent']);
  assert.deepEqual(states(report), { agent: 'current' });
});
