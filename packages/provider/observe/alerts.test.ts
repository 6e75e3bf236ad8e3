import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { machineConditions } from '@minifleet/api';
import { type MetricDefinition, runbookOf } from '@minifleet/kube';
import { alertProblems, labelsIn, ruleFileProblems, runbookProblems } from '@minifleet/kube/testing';
import { alerts } from './alerts.ts';
import { providerMetricTable } from './metric-table.ts';

const definitions: readonly MetricDefinition[] = Object.values(providerMetricTable);
const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('alerts', () => {
  for (const alert of alerts) {
    test(`${alert.name} reads metrics and labels that exist`, () => {
      assert.deepEqual(alertProblems(alert, definitions), []);
    });

    test(`${alert.name} has a runbook that says what it means and what to do`, () => {
      assert.ok(existsSync(new URL(runbookOf(alert), root)), runbookOf(alert));
      assert.deepEqual(runbookProblems(alert, read(runbookOf(alert))), []);
    });
  }

  test('a metric, a label or a name that does not exist is seen', () => {
    const alert = { name: 'X', for: '1m', severity: 'info', description: '' } as const;
    const expr = 'max by (zone) (minifleet_machine_phase{host="1"}) > minifleet_machines';
    assert.deepEqual(alertProblems({ ...alert, expr, summary: '{{ $labels.machine }}' }, definitions), [
      'there is no minifleet_machines',
      'minifleet_machine_phase has no label host',
      'nothing it reads has the label zone',
      'machine is shown and grouped away',
    ]);
  });

  test('every reason they select by is one that conditions have', () => {
    const selected = alerts
      .flatMap(({ expr }) => labelsIn(expr, /reason=~"([^"]*)"/g))
      .flatMap(list => list.split('|'));
    const known = Object.values(machineConditions).flatMap(({ reasons }) => Object.keys(reasons));
    assert.ok(selected.includes('StepFailed'));
    assert.deepEqual(
      selected.filter(reason => !known.includes(reason)),
      [],
    );
  });

  test('the rule file is what Prometheus loads: names once, times and severities as it writes them', () => {
    assert.deepEqual(ruleFileProblems(read('config/prometheus/minifleet-rules.yaml'), alerts), []);
    const wrong = 'groups: [{ rules: [{ alert: X, expr: "max(a", for: soon, labels: { severity: loud } }] }]';
    assert.deepEqual(ruleFileProblems(wrong, alerts.slice(0, 1)), [
      'MachineStuck is not there once',
      'X has no time',
      'X has no severity',
      'X is not PromQL from “its end” on',
    ]);
  });
});
