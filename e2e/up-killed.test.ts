import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { type RunningUp, startUp } from './minifleet-up.ts';
import { findProcesses, identityOf, processTree, readProcFile } from './testing/processes.ts';

const LINUX = process.platform === 'linux' ? false : 'processes are found in /proc';

test('minifleet up killed with SIGKILL leaves no process and no file', {
  skip: noHostNetwork,
}, async t => {
  await leavesNothing(t, await startUp({ flags: ['--hosts', '3'] }));
});

// Without a network namespace to remove, agents and supervisors must end in another way.
test('minifleet up killed with SIGKILL leaves no process and no file with its Macs on loopback', {
  skip: LINUX,
}, async t => {
  await leavesNothing(
    t,
    await startUp({
      flags: ['--hosts', '3'],
      environment: { ...process.env, PATH: `${withoutIp(t)}:${process.env['PATH']}` },
    }),
  );
});

async function leavesNothing(t: TestContext, up: RunningUp): Promise<void> {
  t.after(() => up.signal('SIGKILL'));
  await up.tool('kubectl', 'wait', 'node', '--all', '--for=condition=Ready', '--timeout=180s');
  await up.tool('kubectl', 'apply', '-f', 'docs/examples/first-pod.yaml');
  await up.tool('kubectl', 'wait', 'pod/first', '--for=condition=Ready', '--timeout=180s');
  const folder = dirname(up.tools);
  const processes = everyProcess(up.pid, folder);
  await up.signal('SIGKILL');
  await eventually(() => {
    const left = processes.filter(({ pid, identity }) => identityOf(pid) === identity);
    assert.deepEqual(left, []);
    assert.deepEqual(findProcesses(folder), []);
    return !existsSync(folder);
  });
}

/** Lists all processes with their command lines, for failure messages. Also searches by folder, because daemons are not in the process tree. */
function everyProcess(root: number, folder: string) {
  const pids = [...new Set([...processTree(root), ...findProcesses(folder)])];
  const count = (file: 'cmdline' | 'environ', what: RegExp): number =>
    pids.filter(pid => what.test(readProcFile(pid, file))).length;
  assert.equal(count('cmdline', /--kubeconfig=\S+\/etc\/tart-kubelet/), 3, 'finds the agents while they run');
  assert.equal(count('cmdline', /provider\/main\.ts/), 1, 'finds the provider');
  assert.ok(count('environ', /\0TART_WORLD=/) > 0, 'finds the VM');
  assert.ok(count('environ', /(^|\0)GUEST_ROOT=/) > 0, 'finds the process in the VM');
  return pids.flatMap(pid => {
    const identity = identityOf(pid);
    return identity === undefined
      ? []
      : { pid, identity, commandLine: readProcFile(pid, 'cmdline').replaceAll('\0', ' ') };
  });
}

/** Creates a directory for PATH whose `ip` fails, as without the permissions for it. */
function withoutIp(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'minifleet-no-ip-'));
  t.after(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'ip'), '#!/bin/sh\necho Operation not permitted >&2\nexit 1\n', { mode: 0o755 });
  return directory;
}
