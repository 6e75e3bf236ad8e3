import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { runnerOutcomes, runnerPoolConditions } from '@minifleet/api';
import { type MetricDefinition, runbookOf } from '@minifleet/kube';
import { alertProblems, labelsIn, ruleFileProblems, runbookProblems } from '@minifleet/kube/testing';
import { runnersAlerts } from './alerts.ts';
import { runnersMetricTable } from './metric-table.ts';

const definitions: readonly MetricDefinition[] = Object.values(runnersMetricTable);
const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('alerts of the runners program', () => {
  for (const alert of runnersAlerts) {
    test(`alert ${alert.name} uses only existing metrics and labels`, () => {
      assert.deepEqual(alertProblems(alert, definitions), []);
    });

    test(`alert ${alert.name} has a runbook with its meaning and actions`, () => {
      assert.ok(existsSync(new URL(runbookOf(alert), root)), runbookOf(alert));
      assert.deepEqual(runbookProblems(alert, read(runbookOf(alert))), []);
    });
  }

  test('every reason and outcome that a runners alert selects exists', () => {
    const selected = (label: string): string[] =>
      runnersAlerts
        .flatMap(({ expr }) => labelsIn(expr, new RegExp(`${label}[!=]~"([^"]*)"`, 'g')))
        .flatMap(list => list.split('|'));
    assert.deepEqual(selected('reason'), ['EndsSoon', 'Outdated', 'NotChecked', 'StaleRegistrations']);
    const { ForgeReachable, RunnerVersionSupported } = runnerPoolConditions;
    const known = { ...ForgeReachable.reasons, ...RunnerVersionSupported.reasons };
    for (const reason of selected('reason')) assert.ok(reason in known, reason);
    assert.deepEqual(selected('outcome'), ['JobLost', 'HostLost']);
    for (const outcome of selected('outcome')) assert.ok(outcome in runnerOutcomes, outcome);
  });

  test('the runners rule file contains every alert once, with its duration and severity', () => {
    assert.deepEqual(ruleFileProblems(read('config/prometheus/minifleet-runners-rules.yaml'), runnersAlerts), []);
  });
});
