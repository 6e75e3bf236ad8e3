import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const directory = mkdtempSync(path.join(tmpdir(), 'minifleet-fetch-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const fetchPrograms = (names: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, 'fetch-programs.ts'), ...names], {
    encoding: 'utf8',
    env: { PATH: directory, XDG_CACHE_HOME: directory, ...env },
  });

test('fetch-programs prints one path for each program', () => {
  for (const name of ['helm', 'kubectl']) {
    writeFileSync(path.join(directory, name), '');
    chmodSync(path.join(directory, name), 0o755);
  }
  const { status, stdout } = fetchPrograms(['kubectl', 'helm'], { MINIFLEET_CLUSTER_BIN: directory });
  assert.deepEqual([status, stdout], [0, `${directory}/kubectl\n${directory}/helm\n`]);
});

test('fetch-programs refuses an unknown program and lists the known ones', () => {
  const { status, stderr } = fetchPrograms(['docker']);
  assert.equal(status, 2);
  assert.match(stderr, /^usage: fetch-programs <program>\.\.\.; programs are etcd, /);
});

test('fetch-programs prints nothing but the error when a program cannot be built', () => {
  const { status, stdout, stderr } = fetchPrograms(['actionlint'], { GOPROXY: 'off' });
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /GOPROXY=off forbids downloads/);
});
