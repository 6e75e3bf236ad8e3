import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { MetricDefinition } from '@minifleet/kube';
import { promqlProblem } from '@minifleet/kube/testing';
import { providerMetricTable } from '@minifleet/provider/testing/observe';
import { runnersMetricTable } from '@minifleet/runners/testing/observe';
import { parse } from 'yaml';
import packageFile from '../package.json' with { type: 'json' };
import { providerPanels, runnersPanels } from './generate/dashboards.ts';
import { type Fields, isGroup } from './generate/value.ts';
import { chartValues } from './generate/values.ts';
import { valuesSchema, valuesTables, valuesYaml } from './generate/values-files.ts';

const presets = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isGroup(value) ? presets(value.fields) : value.preset]),
  );

const paths = (fields: Fields, above = ''): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    isGroup(value) ? paths(value.fields, `${above}${name}.`) : [`${above}${name}`],
  );

test('chart values: values.yaml has every value with its default and a description', () => {
  const text = valuesYaml();
  assert.deepEqual(parse(text), presets(chartValues));
  assert.equal(
    text
      .split('\n')
      .filter(line => line.length > 121)
      .join('\n'),
    '',
  );
});

test('chart README: it has a row for every value', () => {
  const tables = valuesTables();
  for (const path of paths(chartValues)) assert.ok(tables.includes(`| \`${path}\` |`), path);
});

test('chart values: the schema rejects unknown values', () => {
  const loose = (schema: Readonly<Record<string, unknown>>, path: string): string[] => {
    const properties = schema['properties'] as Record<string, Record<string, unknown>> | undefined;
    if (!properties) return [];
    const own = schema['additionalProperties'] === false ? [] : [path];
    return [...own, ...Object.entries(properties).flatMap(([name, below]) => loose(below, `${path}.${name}`))];
  };
  const schema = JSON.parse(valuesSchema()) as Record<string, unknown>;
  const { fleet } = schema['definitions'] as { fleet: Record<string, unknown> };
  assert.deepEqual([...loose(schema, 'values'), ...loose(fleet, 'fleet')], []);
});

test('charts have the same version as all packages', () => {
  for (const chart of ['minifleet', 'minifleet-crds']) {
    const { version, appVersion } = parse(
      readFileSync(new URL(`${chart}/Chart.yaml`, import.meta.url), 'utf8'),
    ) as Record<string, string>;
    assert.deepEqual([version, appVersion], [packageFile.version, packageFile.version], chart);
  }
});

test('dashboards use existing metrics and labels', () => {
  const known: readonly MetricDefinition[] = [
    ...Object.values(providerMetricTable),
    ...Object.values(runnersMetricTable),
  ];
  for (const { title, expr, legend } of [...providerPanels, ...runnersPanels]) {
    const metric = known.find(({ name }) => expr.includes(name) && new RegExp(`\\b${name}\\b`).test(expr));
    assert.ok(metric, title);
    assert.equal(promqlProblem(expr), undefined, title);
    for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g)) {
      assert.ok(metric.labels.includes(label), `${title}: ${label}`);
    }
  }
});
