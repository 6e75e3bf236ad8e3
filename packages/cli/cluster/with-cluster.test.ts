import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from '../testing/command-line.ts';
import { defaultKubeconfig } from './with-cluster.ts';

test('the kubeconfig is the first existing file of $KUBECONFIG (default: ~/.kube/config)', t => {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-kubeconfig-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const there = join(folder, 'config');
  writeFileSync(there, '');
  const found = (KUBECONFIG?: string) =>
    defaultKubeconfig({ environment: { KUBECONFIG }, home: '/home/anna', stateDirectory: '/nowhere' });
  assert.equal(found(), '/home/anna/.kube/config');
  assert.equal(found('/nowhere'), '/nowhere');
  assert.equal(found(['/nowhere', there].join(delimiter)), there);
});

test('the fallback kubeconfig is used only where there is no $KUBECONFIG and no ~/.kube/config', t => {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-kubeconfig-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const own = join(folder, '.kube', 'config');
  const base = { environment: {}, home: folder, stateDirectory: folder };
  const context = { ...base, fallbackKubeconfig: () => '/run/up/kubeconfig' };
  assert.equal(defaultKubeconfig({ ...base, fallbackKubeconfig: () => undefined }), own);
  assert.equal(defaultKubeconfig(context), '/run/up/kubeconfig');
  assert.equal(defaultKubeconfig({ ...context, environment: { KUBECONFIG: '/given' } }), '/given');
  mkdirSync(join(folder, '.kube'));
  writeFileSync(own, '');
  assert.equal(defaultKubeconfig(context), own);
});

test('an invalid kubeconfig is a usage error that names the cause', async () => {
  const run = commandLine({ environment: { KUBECONFIG: '/nowhere/config' } });
  const { code, errors } = await run('plan', '--fleet', 'runners');
  assert.equal(code, 2);
  assert.match(errors, /\/nowhere\/config.*no such file; set KUBECONFIG or pass --kubeconfig/);
});

test('a refused connection to the API server is reported without a retry', { timeout: 30_000 }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-kubeconfig-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config');
  writeFileSync(
    path,
    JSON.stringify({
      'current-context': 'away',
      contexts: [{ name: 'away', context: { cluster: 'away' } }],
      clusters: [{ name: 'away', cluster: { server: 'https://127.0.0.1:1' } }],
    }),
  );
  const { code, errors } = await commandLine()('get', 'hosts', '--kubeconfig', path);
  assert.equal(code, 1);
  assert.match(errors, /API server unreachable .*connection refused.* \(CLUSTER_UNREACHABLE\)\n$/);
});
