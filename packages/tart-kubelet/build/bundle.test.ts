import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

test('what would read a file beside its source is refused, and the place is named', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'minifleet-bundle-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const main = join(directory, 'main.ts');
  writeFileSync(main, `console.log(new URL('./data.json', import.meta.url));`);
  await assert.rejects(bundle(root, main), /reads a file beside its source: [\s\S]*data\.json/);
});

test('the host’s scripts are in the bundle as text, and only what is used of a package counts as part of it', async () => {
  const { code, inputs } = await bundle(root, 'packages/tart-kubelet/build/testing/stub-agent.ts');
  assert.match(code, /script not found in this build/);
  assert.ok(inputs.includes('packages/host/load-script.ts'));
  assert.ok(inputs.some(path => path.startsWith('node_modules/ws/')));
});

test('what the agent does not use of a package of ours is left out: the host’s steps come without the SSH client', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'minifleet-bundle-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const main = join(directory, 'main.ts');
  writeFileSync(main, `import { HOST_UNREACHABLE } from '@minifleet/host'; console.log(HOST_UNREACHABLE);`);
  const { inputs } = await bundle(root, main);
  assert.ok(inputs.some(path => path.startsWith('packages/host/')));
  assert.deepEqual(
    inputs.filter(path => path.includes('node_modules/')),
    [],
  );
});

test('the agent carries names of the API without its schemas: they would cost a Mac 10 MB of memory', async () => {
  const { inputs } = await bundle(root, 'packages/tart-kubelet/main.ts');
  assert.ok(inputs.includes('packages/api/names.ts'));
  assert.deepEqual(
    inputs.filter(path => path.startsWith('node_modules/zod/')),
    [],
  );
});
