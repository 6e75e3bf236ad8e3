import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runningKubeconfig, writeUpState } from './running/up-state.ts';
import { devCommandLine } from './testing/dev-command-line.ts';

const run = devCommandLine();

test('--help lists the development commands in a separate group after the operator commands', async () => {
  const { code, output } = await run('--help');
  assert.equal(code, 0);
  const [operator = '', development = ''] = output.split('\nDevelopment:\n');
  assert.match(operator, /^ {2}get \[options\] <kind> \[name\] /m);
  assert.match(development, /^ {2}up \[options\] +Start a local Kubernetes/m);
});

test('commands use the kubeconfig of the running up by default, but not that of a killed up', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-kubeconfig-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, 'up');
  assert.equal(runningKubeconfig(folder), undefined);
  await writeUpState(folder, { pid: 1, kubeconfig, tools: '/t', control: '/c' });
  assert.equal(runningKubeconfig(folder), undefined);
  writeFileSync(kubeconfig, '');
  assert.equal(runningKubeconfig(folder), kubeconfig);
});

describe('minifleet world start', () => {
  test('world start rejects an invalid number of hosts with an example', async () => {
    const { code, errors } = await run('world', 'start', '--hosts', 'many');
    assert.equal(code, 2);
    assert.match(errors, /use a whole number, for example 12/);
  });

  test('world start rejects an unknown output format and lists the known ones', async () => {
    const { code, errors } = await run('world', 'start', '-o', 'xml');
    assert.equal(code, 2);
    assert.match(errors, /Allowed choices are text, json/);
  });
});
