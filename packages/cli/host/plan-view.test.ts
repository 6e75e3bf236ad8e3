import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Disturbance, StepReport, StepState } from '@minifleet/host';
import { unpainted } from '../terminal/paint.ts';
import { planSummary, planTable, stateUnder } from './plan-view.ts';

const report = (id: string, state: StepState, disturbs: Disturbance = 'nothing'): StepReport => ({
  id,
  title: id,
  fingerprint: '',
  state,
  differences: state === 'current' ? [] : [`${id} differs`],
  disturbs,
  changed: false,
  notes: [],
  attempts: 0,
});

const summary = (reports: readonly StepReport[], rebooting: readonly string[] = []): string =>
  planSummary({ reports, allow: 'new VMs', rebooting: new Set(rebooting) });

test('the plan summary names what converge would change, its disturbance and required reboots', () => {
  const reports = [
    report('sudo', 'current'),
    report('local-network', 'drift'),
    report('agent-job', 'drift', 'new VMs'),
    report('never-sleep', 'drift'),
  ];
  assert.equal(
    summary(reports, ['local-network']),
    '3 of 4 steps differ; converge would change them (disturbs new VMs); one needs a reboot',
  );
});

test('the plan summary names the option that applies skipped steps', () => {
  const tart = report('tart', 'drift', 'running VMs');
  assert.equal(stateUnder(tart, 'new VMs'), 'held back');
  assert.equal(stateUnder(tart, 'running VMs'), 'drift');
  assert.equal(summary([tart]), '1 of 1 steps differs; one skipped (use --allow running-vms)');
});

test('the plan summary covers current steps and steps that cannot be inspected', () => {
  assert.equal(summary([report('sudo', 'current'), report('tart', 'current')]), 'all 2 steps are current');
  assert.equal(summary([report('sudo', 'unknown')]), 'none of 1 steps differ; one cannot be inspected yet');
});

test('the plan table has a mark for each state and shows disturbance only for pending changes', () => {
  const reports = [
    report('a', 'current', 'running VMs'),
    report('b', 'drift', 'new VMs'),
    report('c', 'needs reboot'),
    report('d', 'unknown', 'running VMs'),
    report('e', 'drift', 'running VMs'),
  ];
  const width = Number.POSITIVE_INFINITY;
  assert.equal(
    planTable({ reports, allow: 'new VMs' }, { paint: unpainted, width }),
    `STEP   STATE            DISTURBS      DIFFERENCE
a      ✓ current
b      ~ drift          new VMs       b differs
c      ↻ needs reboot   running VMs   c differs
d      ? unknown                      d differs
e      ‖ skipped        running VMs   e differs
`,
  );
});
