import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type KillBench, type KillRun, openKillBench } from './kill-bench.ts';
import { killRows } from './kill-rows.ts';
import { nameOf, namesOn, problemsOf } from './killed-page.ts';

const PAGE = 'docs/proofs/agent-killed.md';

const killedAt = new Set(killRows.flatMap(({ at }) => at));
const pointsNotKilledAt = ({ points }: KillRun): string[] => points.filter(point => !killedAt.has(point));

describe('kill -9 of the agent during the lifecycle of a single-shot Pod, on a real API server', () => {
  let bench: KillBench;

  before(async () => {
    bench = await openKillBench();
  });
  after(() => bench[Symbol.asyncDispose]());

  for (const deleted of ['when it has ended', 'while it runs'] as const) {
    test(`every point of a Pod that is deleted ${deleted} is in the kill table`, async () => {
      const reported = deleted === 'while it runs' ? 'Failed 7 Error' : 'Failed 5 Error';
      const run = await bench.run({ at: [], deleted, reported });
      assert.deepEqual(problemsOf(run), []);
      assert.deepEqual(pointsNotKilledAt(run), []);
    });
  }

  for (const row of killRows) {
    test(`I38 ${nameOf(row)}: one correct terminal status, one run, nothing left, no foreign VM touched`, async () => {
      const run = await bench.run(row);
      assert.deepEqual(problemsOf(run), []);
      assert.deepEqual(pointsNotKilledAt(run), []);
    });
  }

  test('docs/proofs/agent-killed.md lists every row, and all of them passed', () => {
    const page = readFileSync(PAGE, 'utf8');
    assert.deepEqual(namesOn(page), killRows.map(nameOf), 'run: npm run proofs -- agent-killed');
    assert.match(page, new RegExp(`^${killRows.length} kills, ${killRows.length} passed\\.$`, 'm'));
  });
});
