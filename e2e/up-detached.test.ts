import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { runMinifleet } from './minifleet-up.ts';
import { findProcesses } from './testing/processes.ts';

describe('minifleet up --detach', () => {
  const home = mkdtempSync(join(tmpdir(), 'minifleet-home-'));
  const caches = process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME'] ?? '', '.cache');
  const environment = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: caches };
  const minifleet = (line: string) => runMinifleet(`minifleet ${line}`, environment);
  after(async () => {
    await minifleet('down');
    rmSync(home, { recursive: true });
  });
  let folder = '';

  test('up --detach returns when the fleets are ready, and prints how to stop it', async () => {
    const { code, output, errors } = await minifleet('up --detach --hosts 3 --speed 5 --seed detached');
    assert.equal(code, 0, output + errors);
    assert.equal(output.match(/✓ fleet \S+ \([\d.]+ s after the start\): 1 Mac is a Ready Node\n/g)?.length, 3);
    assert.match(output, /\nRunning in the background; stop it with minifleet down\. Log: \S+up\.log\n$/);
    folder = /export PATH=(\S+)\/bin:/.exec(output)?.[1] ?? '';
    assert.ok(existsSync(folder));
  });

  test('commands without a kubeconfig use the running up', async () => {
    const { code, output, errors } = await minifleet('get hosts -o name');
    assert.equal(code, 0, errors);
    assert.equal(output.trim().split('\n').length, 4, `three Macs of the fleets and the free one:\n${output}`);
  });

  test('a second up is rejected and names the stop command, with and without --detach', async () => {
    for (const line of ['up', 'up --detach']) {
      const { code, errors } = await minifleet(line);
      assert.equal(code, 1);
      assert.match(errors, /minifleet up already runs \(process \d+, \S+\); use it, or stop it with minifleet down/);
    }
  });

  test('down leaves no process and no file; a second down and a break report that no up is running', async () => {
    assert.notDeepEqual(findProcesses(folder), []);
    assert.deepEqual(await minifleet('down'), {
      code: 0,
      output: 'Stopped; all processes and files are removed.\n',
      errors: '',
    });
    assert.deepEqual(findProcesses(folder), []);
    assert.equal(existsSync(folder), false);
    assert.deepEqual(readdirSync(join(home, '.local', 'state', 'minifleet')), ['up.log']);
    assert.equal((await minifleet('down')).output, 'No minifleet up is running.\n');
    const { code, errors } = await minifleet('break I19');
    assert.equal(code, 1);
    assert.match(errors, /no minifleet up is running; start one with minifleet up --detach/);
  });

  test('up --detach that cannot start prints the reason and the path of its log', async () => {
    const { code, output, errors } = await minifleet('up --detach --kubeconfig /no/such/file');
    assert.equal(code, 1);
    assert.match(output, /kubeconfig \/no\/such\/file: no such file/);
    assert.match(errors, /ended before it was ready \(exit code 2\); its output is above and in \S+up\.log/);
  });
});
