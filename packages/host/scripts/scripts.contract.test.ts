import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { unpackDebian } from '../testing/debian-package.ts';

const run = promisify(execFile);
const INSTALLED = '/usr/bin/shellcheck';

async function shellcheck(): Promise<{ readonly program: string; readonly env: Readonly<Record<string, string>> }> {
  if (existsSync(INSTALLED)) return { program: INSTALLED, env: {} };
  const { root, environment } = await unpackDebian('shellcheck', ['shellcheck']);
  return { program: `${root}/usr/bin/shellcheck`, env: environment };
}

test('shellcheck has nothing to say about any script', async () => {
  const { program, env } = await shellcheck();
  const files = globSync('*.sh', { cwd: import.meta.dirname }).sort();
  const found = await run(program, ['-s', 'sh', '-f', 'gcc', ...files], { cwd: import.meta.dirname, env }).then(
    () => '',
    (error: Error & { stdout?: string; stderr?: string }) => error.stdout || error.stderr || error.message,
  );
  assert.equal(found, '');
});
