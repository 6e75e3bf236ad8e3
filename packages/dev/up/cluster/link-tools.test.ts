import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-tools-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const given = join(directory, 'given');
mkdirSync(given);
const program = (name: string): void => {
  writeFileSync(join(given, name), `#!/bin/sh\necho "${name} $@"\n`);
  chmodSync(join(given, name), 0o755);
};
const env = { MINIFLEET_CLUSTER_BIN: given, XDG_CACHE_HOME: join(directory, 'cache'), PATH: process.env['PATH'] };

test('a tool that is not cached is linked as a script that fetches it on first use', async () => {
  program('kubectl');
  program('clusterctl');
  const module = JSON.stringify(new URL('link-tools.ts', import.meta.url).href);
  const home = JSON.stringify({ directory });
  const script = `import { linkTools } from ${module}; await linkTools(${home}, { step: () => ({}), note() {} });`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
  const bin = join(directory, 'bin');
  const linked = ['kubectl', 'clusterctl', 'helm'].map(name => lstatSync(join(bin, name)).isSymbolicLink());
  assert.deepEqual(linked, [true, true, false]);
  program('helm');
  const { stdout } = await promisify(execFile)(join(bin, 'helm'), ['list', '--all namespaces'], { env });
  assert.equal(stdout, 'helm list --all namespaces\n');
});
