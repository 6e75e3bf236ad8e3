import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parsePromises, promiseProblems, ROWS } from './promises.ts';

const read = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

const page = (cells: string): string => ROWS.map(row => `| ${row} | a promise | ${cells} |`).join('\n');

test('docs/promises.md has every required row, and every test it names exists', () => {
  assert.deepEqual(promiseProblems(parsePromises(read('docs/promises.md') ?? ''), read), []);
});

test('promises: a missing row is named', () => {
  const withoutA1 = parsePromises(page('| all of it').replace(/^.*A1 .*\n/, ''));
  assert.deepEqual(promiseProblems(withoutA1, read), ['row A1 must exist exactly once']);
});

test('promises: a test that does not exist is named with its row', () => {
  const promises = parsePromises(page('`scripts/promises.test.ts › no such test at all` | '));
  const [problem] = promiseProblems(promises, path => (path === 'scripts/promises.test.ts' ? 'test()' : undefined));
  assert.equal(problem, 'row A1: scripts/promises.test.ts has no test "no such test at all"');
});

test('promises: a row with neither a test nor an open point is a problem', () => {
  const [problem] = promiseProblems(parsePromises(page(' | ')), read);
  assert.equal(problem, 'row A1 names no test and nothing open');
});
