import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

test('the bundle rejects code that reads a file beside its source and names the place', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'minifleet-bundle-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const main = join(directory, 'main.ts');
  writeFileSync(main, `console.log(new URL('./data.json', import.meta.url));`);
  await assert.rejects(bundle(root, main), /reads a file beside its source: [\s\S]*data\.json/);
});

test('the bundle embeds the host’s scripts as text and lists only contributing packages', async () => {
  const { code, inputs } = await bundle(root, 'packages/tart-kubelet/build/testing/stub-agent.ts');
  assert.match(code, /script not found in this build/);
  assert.ok(inputs.includes('packages/host/load-script.ts'));
  assert.ok(inputs.some(path => path.startsWith('node_modules/ws/')));
});

test('the bundle leaves out unused files: the host’s steps come without the SSH client', async t => {
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

test('the agent bundle contains API names without schemas, which would cost 10 MB of memory', async () => {
  const { inputs } = await bundle(root, 'packages/tart-kubelet/main.ts');
  assert.ok(inputs.includes('packages/api/names.ts'));
  assert.deepEqual(
    inputs.filter(path => path.startsWith('node_modules/zod/')),
    [],
  );
});
