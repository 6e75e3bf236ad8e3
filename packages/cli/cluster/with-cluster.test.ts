import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from '../testing/command-line.ts';
import { usualKubeconfig } from './with-cluster.ts';

test('the kubeconfig is $KUBECONFIG, of a list the first that exists, and ~/.kube/config unless said', t => {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-kubeconfig-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const there = join(folder, 'config');
  writeFileSync(there, '');
  const found = (KUBECONFIG?: string) => usualKubeconfig({ environment: { KUBECONFIG }, home: '/home/anna' });
  assert.equal(found(), '/home/anna/.kube/config');
  assert.equal(found('/nowhere'), '/nowhere');
  assert.equal(found(['/nowhere', there].join(delimiter)), there);
});

test('a kubeconfig that cannot be used is a usage error that says what is wrong with it', async () => {
  const run = commandLine({ environment: { KUBECONFIG: '/nowhere/config' } });
  const { code, errors } = await run('plan', '--fleet', 'runners');
  assert.equal(code, 2);
  assert.match(errors, /\/nowhere\/config.*there is no such file; set KUBECONFIG or pass --kubeconfig/);
});
