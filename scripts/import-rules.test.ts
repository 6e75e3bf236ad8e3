import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { importProblems } from './import-rules.ts';

const breaches = (path: string, text: string): string[] => importProblems([{ path, text }]);

test('imports in this repository follow the import rules', () => {
  const paths = globSync('packages/**/*.ts', { exclude: path => path.includes('node_modules') });
  assert.ok(paths.length > 20, 'the sources were found');
  assert.deepEqual(importProblems(paths.map(path => ({ path, text: readFileSync(path, 'utf8') }))), []);
});

test('import rules: an import against the direction is reported with the allowed packages', () => {
  const [problem] = breaches('packages/kube/client/a.ts', "import { x } from '@minifleet/provider';");
  assert.equal(
    problem,
    'packages/kube/client/a.ts imports @minifleet/provider: packages/kube may import clock, errors, secret, api',
  );
});

test('import rules: a relative path into another package is a violation', () => {
  assert.equal(breaches('packages/kube/a.ts', "export * from '../api/index.ts';").length, 1);
  assert.equal(breaches('packages/kube/client/a.ts', "import '../object.ts';").length, 0);
});

test('import rules: a wrapped third-party client may be imported only in its own folder', () => {
  assert.equal(breaches('packages/kube/queue/a.ts', "import { Counter } from 'prom-client';").length, 1);
  assert.equal(breaches('packages/kube/observe/a.ts', "import { Counter } from 'prom-client';").length, 0);
});

test('import rules: only main.ts reads the environment, the clock and random numbers', () => {
  assert.equal(breaches('packages/kube/a.ts', 'const now = Date.now();').length, 1);
  assert.equal(breaches('packages/cli/main.ts', 'const { env } = process.env;').length, 0);
});

test('import rules: only packages/dev starts a local cluster, not the operator’s CLI', () => {
  const text = "import { startLocalCluster } from '@minifleet/local-cluster';";
  assert.equal(breaches('packages/cli/get/a.ts', text).length, 1);
  assert.equal(breaches('packages/dev/up/up.ts', text).length, 0);
});

test('import rules: tests may import anything', () => {
  assert.deepEqual(breaches('packages/kube/a.test.ts', "import '@minifleet/world';"), []);
});
