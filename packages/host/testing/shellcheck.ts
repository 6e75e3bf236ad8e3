import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { unpackDebian } from './debian-package.ts';

const run = promisify(execFile);
const INSTALLED = '/usr/bin/shellcheck';

interface Shellcheck {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function findShellcheck(): Promise<Shellcheck> {
  if (existsSync(INSTALLED)) return { program: INSTALLED, env: {} };
  const { root, environment } = await unpackDebian('shellcheck', ['shellcheck']);
  return { program: `${root}/usr/bin/shellcheck`, env: environment };
}

/** Output of shellcheck for /bin/sh scripts; empty if there are no findings. */
export async function shellcheckSays(cwd: string, files: readonly string[]): Promise<string> {
  const { program, env } = await findShellcheck();
  return run(program, ['-s', 'sh', '-f', 'gcc', ...files], { cwd, env }).then(
    () => '',
    (error: Error & { stdout?: string; stderr?: string }) => error.stdout || error.stderr || error.message,
  );
}
