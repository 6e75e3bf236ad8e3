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

test('the last line says what converge would do, what it would disturb and what needs a reboot', () => {
  const reports = [
    report('sudo', 'current'),
    report('local-network', 'drift'),
    report('agent-job', 'drift', 'new VMs'),
    report('never-sleep', 'drift'),
  ];
  assert.equal(
    summary(reports, ['local-network']),
    '3 of 4 steps differ; converge would change them, disturbing new VMs; one needs a reboot',
  );
});

test('what would disturb more than allowed is held back, and the option that allows it is named', () => {
  const tart = report('tart', 'drift', 'running VMs');
  assert.equal(stateUnder(tart, 'new VMs'), 'held back');
  assert.equal(stateUnder(tart, 'running VMs'), 'drift');
  assert.equal(summary([tart]), '1 of 1 steps differs; one held back: allow more with --allow running-vms');
});

test('nothing that differs, and nothing that can be seen', () => {
  assert.equal(summary([report('sudo', 'current'), report('tart', 'current')]), 'all 2 steps are current');
  assert.equal(summary([report('sudo', 'unknown')]), 'none of 1 steps differ; one cannot be seen yet');
});

test('each state has its own mark, and only what would be carried out disturbs anything', () => {
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
e      ‖ held back      running VMs   e differs
`,
  );
});
