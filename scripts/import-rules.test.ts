import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { importProblems } from './import-rules.ts';

const breaches = (path: string, text: string): string[] => importProblems([{ path, text }]);

test('imports in this repository follow the import rules', () => {
  const folders = '{packages,scripts,docs,benchmarks,e2e,containers,charts,images}/**/*.ts';
  const paths = globSync(folders, { exclude: path => path.includes('node_modules') });
  assert.ok(paths.length > 1_000, `only ${paths.length} files were found`);
  assert.deepEqual(importProblems(paths.map(path => ({ path, text: readFileSync(path, 'utf8') }))), []);
});

test('import rules: an import against the direction is reported with the allowed packages', () => {
  const [problem] = breaches('packages/kube/client/a.ts', "import { x } from '@minifleet/provider';");
  assert.equal(
    problem,
    'packages/kube/client/a.ts imports @minifleet/provider: packages/kube may import clock, errors, secret, api',
  );
});

test('import rules: a relative path into another package is a violation, in tests and outside the packages as well', () => {
  for (const path of ['packages/kube/a.ts', 'packages/kube/a.test.ts', 'packages/kube/testing/a.ts']) {
    assert.equal(breaches(path, "export * from '../../packages/api/index.ts';").length, 1, path);
  }
  assert.equal(breaches('e2e/a.test.ts', "import '../packages/api/index.ts';").length, 1);
  assert.equal(breaches('e2e/a.test.ts', "import './testing/up.ts';").length, 0);
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

test('import rules: shipped code may not import the test support of a package', () => {
  const text = "import { fakeClock } from '@minifleet/clock/testing';";
  assert.equal(breaches('packages/kube/a.ts', text).length, 1);
  assert.equal(breaches('packages/kube/testing/a.ts', text).length, 0);
});

test('import rules: two folders of a package that import each other are a violation that names both files', () => {
  const files = [
    { path: 'packages/kube/client/a.ts', text: "import '../queue/b.ts';" },
    { path: 'packages/kube/queue/b.ts', text: "import '../client/a.ts';" },
  ];
  assert.deepEqual(importProblems(files), [
    'packages/kube/client and packages/kube/queue import each other (packages/kube/client/a.ts, packages/kube/queue/b.ts): move what both need',
  ]);
  assert.deepEqual(importProblems(files.slice(0, 1)), []);
});

test('import rules: tests may import any package by its name', () => {
  assert.deepEqual(breaches('packages/kube/a.test.ts', "import '@minifleet/world';"), []);
});
