import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runnerOutcomes } from '@minifleet/api';
import { runnerPoolConditions } from '@minifleet/api/testing/kinds';

const page = readFileSync(new URL('./runners.md', import.meta.url), 'utf8');
const section = (title: string): string => page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const firstCells = (text: string): string[] => [...text.matchAll(/^\| `(\w+)` \|/gm)].map(match => match[1] ?? '');

test('docs/runners.md lists exactly the conditions and reasons of a RunnerPool', () => {
  const rows = section('Conditions')
    .split('\n')
    .filter(line => line.startsWith('| '));
  const documented = new Map<string, string[]>();
  let condition = '';
  for (const row of rows.slice(1)) {
    const [, first = '', second = ''] = row.split('|');
    condition = /`(\w+)`/.exec(first)?.[1] ?? condition;
    documented.set(condition, [
      ...(documented.get(condition) ?? []),
      ...[...second.matchAll(/`(\w+)`/g)].map(match => match[1] ?? ''),
    ]);
  }
  const defined = Object.entries(runnerPoolConditions).map(([type, { reasons }]) => [
    type,
    Object.keys(reasons).sort(),
  ]);
  assert.deepEqual(
    [...documented].map(([type, reasons]) => [type, reasons.sort()]),
    defined,
  );
});

test('docs/runners.md lists exactly the outcomes of a runner', () => {
  assert.deepEqual(firstCells(section('Lifecycle of a runner')), Object.keys(runnerOutcomes));
});
