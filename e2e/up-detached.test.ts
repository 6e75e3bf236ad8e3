import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { runMinifleet } from './minifleet-up.ts';
import { processesOf } from './testing/processes-of.ts';

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

  test('returns when all is there, shows what it did, and says how it ends', async () => {
    const { code, output, errors } = await minifleet('up --detach --hosts 3 --speed 5 --seed detached');
    assert.equal(code, 0, output + errors);
    assert.equal(output.match(/✓ fleet \S+ \([\d.]+ s after the start\): 1 Mac is a Ready Node\n/g)?.length, 3);
    assert.match(output, /\nIt runs on by itself; minifleet down stops it, \S+up\.log has what it says\.\n$/);
    folder = /export PATH=(\S+)\/bin:/.exec(output)?.[1] ?? '';
    assert.ok(existsSync(folder));
  });

  test('who has no kubeconfig is shown what is up', async () => {
    const { code, output, errors } = await minifleet('get hosts -o name');
    assert.equal(code, 0, errors);
    assert.equal(output.trim().split('\n').length, 3, output);
  });

  test('a second one is refused with the way out, detached or not', async () => {
    for (const line of ['up', 'up --detach']) {
      const { code, errors } = await minifleet(line);
      assert.equal(code, 1);
      assert.match(errors, /is up already \(process \d+, \S+\); use it, or stop it first: minifleet down/);
    }
  });

  test('down stops it and leaves neither a process nor a file; there is nothing to stop then, and nothing to break', async () => {
    assert.notDeepEqual(processesOf(folder), []);
    assert.deepEqual(await minifleet('down'), {
      code: 0,
      output: 'It is down; nothing is left of it.\n',
      errors: '',
    });
    assert.deepEqual(processesOf(folder), []);
    assert.equal(existsSync(folder), false);
    assert.deepEqual(readdirSync(join(home, '.local', 'state', 'minifleet')), ['up.log']);
    assert.equal((await minifleet('down')).output, 'Nothing is up.\n');
    const { code, errors } = await minifleet('break I19');
    assert.equal(code, 1);
    assert.match(errors, /no minifleet is up here; start one: minifleet up --detach/);
  });

  test('one that cannot start says why, and where the rest stands', async () => {
    const { code, output, errors } = await minifleet('up --detach --kubeconfig /no/such/file');
    assert.equal(code, 1);
    assert.match(output, /kubeconfig \/no\/such\/file: there is no such file/);
    assert.match(errors, /ended before it was ready \(exit code 2\); what it said is above and in \S+up\.log/);
  });
});
