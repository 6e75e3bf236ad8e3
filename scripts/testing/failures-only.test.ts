import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const reporter = fileURLToPath(import.meta.resolve('./failures-only.ts'));

const TESTS = `import assert from 'node:assert/strict'; import { describe, test } from 'node:test';
test('is fine', () => {});
describe('a room', () => {
  test('is dark', () => assert.equal('dark', 'light', 'nobody lit the lamp'));
});`;

test('whatever failed is told with its place and its words, and nothing else', context => {
  const directory = mkdtempSync(join(tmpdir(), 'failures-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'room.test.mjs');
  writeFileSync(file, TESTS);
  // Told by a runner to its children, and not meant for a run of its own.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const { status, stdout } = spawnSync('node', ['--test', `--test-reporter=${reporter}`, file], {
    encoding: 'utf8',
    env: environment,
    timeout: 20_000,
  });
  assert.equal(status, 1);
  assert.match(stdout, /^\n✖ is dark \(\S*room\.test\.mjs:4\)\n {2}AssertionError .*: nobody lit the lamp\n/);
  assert.doesNotMatch(stdout, /is fine|a room/);
});
