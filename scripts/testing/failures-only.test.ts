import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runTestFile } from './run-test-file.ts';

const reporter = fileURLToPath(import.meta.resolve('./failures-only.ts'));

const TESTS = `import assert from 'node:assert/strict'; import { describe, test } from 'node:test';
test('is fine', () => {});
describe('a room', () => {
  test('is dark', () => assert.equal('dark', 'light', 'nobody lit the lamp'));
});`;

test('the failures-only reporter prints failed tests with location and error, and nothing else', context => {
  const flags = [`--test-reporter=${reporter}`];
  const { status, stdout } = runTestFile(context, { name: 'room.test.mjs', text: TESTS, flags });
  assert.equal(status, 1);
  assert.match(stdout, /^\n✖ is dark \(\S*room\.test\.mjs:4\)\n {2}AssertionError .*: nobody lit the lamp\n/);
  assert.doesNotMatch(stdout, /is fine|a room/);
});
