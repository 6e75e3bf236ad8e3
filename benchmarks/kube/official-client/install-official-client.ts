import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Progress } from '../../benchmark.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const CLIENT = '@kubernetes/client-node';

/** Installs the locked version of the official client next to this file, if missing. Returns its version. */
export function installOfficialClient(progress: Progress): string {
  const locked = readJson<{ dependencies: Record<string, string> }>('package.json').dependencies[CLIENT] ?? '';
  if (installedVersion() !== locked) {
    progress(`installing ${CLIENT} ${locked}`);
    execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return locked;
}

function installedVersion(): string | undefined {
  try {
    return readJson<{ version: string }>(`node_modules/${CLIENT}/package.json`).version;
  } catch {
    return undefined;
  }
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as T;
