import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

const IMPORTS = `import assert from 'node:assert/strict'; import { describe, test } from 'node:test';`;

interface FilesRun extends SpawnSyncReturns<string> {
  readonly failures: string;
}

/** Runs `<name>.test.mjs` for each given text, in the given order. */
function runFiles(
  context: TestContext,
  texts: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): FilesRun {
  const directory = mkdtempSync(join(tmpdir(), 'run-files-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const files = Object.entries(texts).map(([name, text]) => {
    const file = join(directory, `${name}.test.mjs`);
    writeFileSync(file, `${IMPORTS}\n${text}`);
    return file;
  });
  const failures = join(directory, 'failures');
  // Set by the runner of this very test. A run that sees it reports to its parent instead of printing.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const argv = ['scripts/testing/run-files.ts', `--failures=${failures}`, ...options, ...files];
  const result = spawnSync('node', argv, { encoding: 'utf8', env: environment, timeout: 30_000 });
  return { ...result, failures: readFileSync(failures, 'utf8') };
}

for (const options of [['--in-process'], ['--at-once=1']]) {
  test(`test files run in the given order (${options[0]})`, context => {
    const texts = { zebra: `test('the long one', () => {});`, ant: `test('the short one', () => {});` };
    const { status, stdout } = runFiles(context, texts, options);
    assert.equal(status, 0);
    assert.match(stdout, /the long one.*the short one.*pass 2/s);
  });

  test(`a failed test inside a describe fails the run and is in the failures file (${options[0]})`, context => {
    const text = `describe('a suite', () => { test('fails', () => assert.equal(1, 2, 'not equal')); test('passes', () => {}); });`;
    const { status, stdout, failures } = runFiles(context, { one: text }, options);
    assert.equal(status, 1);
    assert.match(stdout, /▶ a suite\n {2}✖ fails/);
    assert.match(failures, /✖ fails \(.*one\.test\.mjs:2\).*not equal/s);
  });

  test(`a rejected promise that no test awaits fails the run (${options[0]})`, context => {
    const text = `test('starts it', async () => { void Promise.reject(new Error('lost promise')); await new Promise(setImmediate); });`;
    const { status, stdout } = runFiles(context, { one: text }, options);
    assert.equal(status, 1);
    assert.match(stdout, /lost promise/);
  });
}

test('a name pattern selects tests', context => {
  const text = `test('first', () => {}); test('second', () => assert.fail());`;
  const { status, stdout } = runFiles(context, { one: text }, ['--in-process', '--test-name-pattern=first']);
  assert.equal(status, 0);
  assert.match(stdout, /pass 1\b/);
});

test('a run of several files ends with the list of the slowest', context => {
  const texts = {
    quick: `test('quick', () => {});`,
    slow: `import { spawnSync } from 'node:child_process'; test('slow', () => void spawnSync('sleep', ['1']));`,
  };
  const { stdout } = runFiles(context, texts, ['--at-once=1']);
  assert.match(stdout, /slowest files\n +\d+\.\d s {2}\S*slow\.test\.mjs\n +\d+\.\d s {2}\S*quick\.test\.mjs\n$/);
});
