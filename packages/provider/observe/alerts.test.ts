import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { machineConditions } from '@minifleet/api';
import { parse } from 'yaml';
import { type Alert, alerts, runbookOf } from './alerts.ts';
import { type MetricDefinition, providerMetricTable } from './metric-table.ts';

const definitions: readonly MetricDefinition[] = Object.values(providerMetricTable);
const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Metrics an expression reads, each with the labels it selects by. */
function readsOf(expr: string): { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expr.matchAll(/(minifleet_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', selectors = '']) => ({
    name,
    labels: [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
}

const labelsIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, list = '']) => list.split(',').map(label => label.trim()));

function problemsOf({ expr, summary, description }: Alert): string[] {
  const reads = readsOf(expr);
  const known = new Map(definitions.map(({ name, labels }) => [name, labels]));
  const grouped = labelsIn(expr, /\bby \(([^)]*)\)/g);
  const given = reads.flatMap(({ name }) => known.get(name) ?? []);
  const shown = labelsIn(`${summary} ${description}`, /\$labels\.(\w+)/g);
  return [
    ...(reads.length === 0 ? ['it reads no metric of ours'] : []),
    ...reads.filter(({ name }) => !known.has(name)).map(({ name }) => `there is no ${name}`),
    ...reads.flatMap(({ name, labels }) =>
      labels.filter(label => !known.get(name)?.includes(label)).map(label => `${name} has no label ${label}`),
    ),
    ...grouped.filter(label => !given.includes(label)).map(label => `nothing it reads has the label ${label}`),
    ...shown.filter(label => !grouped.includes(label)).map(label => `${label} is shown and grouped away`),
  ];
}

describe('alerts', () => {
  for (const alert of alerts) {
    test(`${alert.name} reads metrics and labels that exist`, () => assert.deepEqual(problemsOf(alert), []));

    test(`${alert.name} has a runbook that says what it means and what to do`, () => {
      assert.ok(existsSync(new URL(runbookOf(alert), root)), runbookOf(alert));
      const page = read(runbookOf(alert));
      assert.match(page, new RegExp(`^# ${alert.name}\n`));
      for (const heading of ['What it means', 'Look', 'Do', 'Over when'])
        assert.match(page, new RegExp(`^## ${heading}$`, 'm'));
    });
  }

  test('a metric, a label or a name that does not exist is seen', () => {
    const alert = { name: 'X', for: '1m', severity: 'info', description: '' } as const;
    const expr = 'max by (zone) (minifleet_machine_phase{host="1"}) > minifleet_machines';
    assert.deepEqual(problemsOf({ ...alert, expr, summary: '{{ $labels.machine }}' }), [
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
    const file = parse(read('config/prometheus/minifleet-rules.yaml')) as {
      groups: { name: string; rules: { alert: string; expr: string; for: string; labels: { severity: string } }[] }[];
    };
    const rules = file.groups.flatMap(group => group.rules);
    assert.equal(new Set(rules.map(rule => rule.alert)).size, alerts.length);
    for (const rule of rules) {
      assert.match(rule.for, /^\d+[smhd]$/);
      assert.match(rule.labels.severity, /^(critical|warning|info)$/);
      assert.equal(balance(rule.expr), 0, rule.expr);
    }
  });
});

/** Brackets that open less those that close. */
const balance = (text: string): number => text.split(/[({[]/).length - text.split(/[)}\]]/).length;
