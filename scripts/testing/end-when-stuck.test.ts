import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const impatient = `import { endWhenStuck } from '${import.meta.resolve('./end-when-stuck.ts')}'; endWhenStuck(100);`;

test('a test file that leaves something open is ended and fails by its name', context => {
  const directory = mkdtempSync(join(tmpdir(), 'stuck-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'leaves-a-loop.test.mjs');
  writeFileSync(file, `import { test } from 'node:test'; test('fine', () => void setInterval(() => {}, 1_000));`);
  // Told by a runner to its children, and not meant for a run of its own.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const flags = ['--test', '--test-reporter=spec', '--import', `data:text/javascript,${encodeURIComponent(impatient)}`];
  const { status, stdout, error } = spawnSync('node', [...flags, file], {
    encoding: 'utf8',
    env: environment,
    timeout: 20_000,
  });
  assert.equal(error, undefined);
  assert.equal(status, 1);
  assert.match(stdout, /leaves-a-loop\.test\.mjs are over, but it does not end; still open: .*Timeout/);
  assert.match(stdout, /✖ .*leaves-a-loop\.test\.mjs/);
});
