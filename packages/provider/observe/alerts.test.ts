import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { hostStates, machineConditions } from '@minifleet/api';
import { type Alert, type MetricDefinition, runbookOf } from '@minifleet/kube';
import { alertProblems, labelsIn, ruleFileProblems, runbookProblems } from '@minifleet/kube/testing';
import { PROVIDER_LEASE } from '../settings/settings.ts';
import { alerts } from './alerts.ts';
import { providerMetricTable } from './metric-table.ts';

const definitions: readonly MetricDefinition[] = Object.values(providerMetricTable);
const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

function alertNamed(name: string): Alert {
  const alert = alerts.find(each => each.name === name);
  assert.ok(alert, name);
  return alert;
}

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

  test('an unknown metric, label or name in an alert is reported', () => {
    const alert = { name: 'X', for: '1m', severity: 'info', description: '' } as const;
    const expr = 'max by (zone) (minifleet_machine_phase{host="1"}) > minifleet_machines';
    assert.deepEqual(alertProblems({ ...alert, expr, summary: '{{ $labels.machine }}' }, definitions), [
      'there is no minifleet_machines',
      'minifleet_machine_phase has no label host',
      'nothing it reads has the label zone',
      'machine is shown and grouped away',
    ]);
  });

  test('alerts select only by reasons of machine conditions', () => {
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

  test('alerts select only by states of MacHosts and fleets', () => {
    const known = [...Object.keys(hostStates), 'Busy', 'Broken', 'ready', 'desired'];
    const selected = alerts
      .flatMap(({ expr }) => labelsIn(expr, /state=~?"([^"]*)"/g))
      .flatMap(list => list.split('|'));
    for (const state of ['Missing', 'Quarantined', 'Broken']) assert.ok(selected.includes(state), state);
    assert.deepEqual(
      selected.filter(state => !known.includes(state)),
      [],
    );
  });

  test('the alert OrphanHosts names the chart value that returns the hosts', () => {
    assert.match(alertNamed('OrphanHosts').description, /provider\.reclaimOrphans/);
    assert.match(read('charts/minifleet/values.yaml'), /^\s+reclaimOrphans: false$/m);
  });

  test('the alert UnmanagedServers waits for a day, which new servers may take to get a pool', () => {
    const { for: duration, description } = alertNamed('UnmanagedServers');
    assert.equal(duration, '24h');
    assert.match(description, /minifleet get hosts --unmanaged/);
  });

  test('the alert ProviderDown reads a metric that a provider without a vendor has as well', () => {
    const { expr } = alertNamed('ProviderDown');
    assert.match(expr, /^absent\(minifleet_host_jobs\) or /);
    assert.match(expr, new RegExp(PROVIDER_LEASE.replaceAll('.', '\\.')));
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
