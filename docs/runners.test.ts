import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runnerPoolConditions } from '../packages/api/kinds/runner-pool-conditions.ts';
import { runnerOutcomes } from '../packages/api/kinds/runner-pool-status.ts';

const page = readFileSync(new URL('./runners.md', import.meta.url), 'utf8');
const section = (title: string): string => page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const firstCells = (text: string): string[] => [...text.matchAll(/^\| `(\w+)` \|/gm)].map(match => match[1] ?? '');

test('the page of pools has every condition with every reason, and invents none', () => {
  const rows = section('Conditions')
    .split('\n')
    .filter(line => line.startsWith('| '));
  const told = new Map<string, string[]>();
  let condition = '';
  for (const row of rows.slice(1)) {
    const [, first = '', second = ''] = row.split('|');
    condition = /`(\w+)`/.exec(first)?.[1] ?? condition;
    told.set(condition, [
      ...(told.get(condition) ?? []),
      ...[...second.matchAll(/`(\w+)`/g)].map(match => match[1] ?? ''),
    ]);
  }
  const known = Object.entries(runnerPoolConditions).map(([type, { reasons }]) => [type, Object.keys(reasons).sort()]);
  assert.deepEqual(
    [...told].map(([type, reasons]) => [type, reasons.sort()]),
    known,
  );
});

test('the page of pools has every way a runner ends, and invents none', () => {
  assert.deepEqual(firstCells(section('Lifecycle of a runner')), Object.keys(runnerOutcomes));
});
