import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJitConfig, readRunnerFiles } from '../github/runners/jit-config.ts';
import type { ListenerDeps } from './listener.ts';
import type { RunnerApiAddress } from './runner-api.ts';

/** Settings of a configured runner. */
export interface RunnerSettings extends RunnerApiAddress {
  readonly name: string;
  readonly ephemeral: boolean;
  /** Relative to the runner, or absolute. */
  readonly workFolder: string;
}

const FILES = ['.runner', '.credentials', '.credentials_rsaparams'] as const;

/** Message of .NET's `Convert.FromBase64String`. */
const NOT_BASE64 =
  'The input is not a valid Base-64 string as it contains a non-base 64 character, more than two padding characters, or an illegal character among the padding characters.';

/** Writes the files of a just-in-time configuration next to `run.sh`. Returns the reason if it cannot. */
export function saveJitConfig({ root, jitConfig }: Pick<ListenerDeps, 'root' | 'jitConfig'>): string | undefined {
  if (jitConfig === undefined) return undefined;
  const files = decodeJitConfig(jitConfig);
  if (!files) return NOT_BASE64;
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content, { mode: 0o600 });
  return undefined;
}

/** Undefined if the runner is not configured. */
export function readSettings(root: string): RunnerSettings | undefined {
  try {
    return readRunnerFiles(Object.fromEntries(FILES.map(name => [name, readFileSync(join(root, name), 'utf8')])));
  } catch {
    return undefined;
  }
}

/** Removes the files after the only job of an ephemeral runner. */
export const forgetSettings = (root: string): void => {
  for (const name of FILES) rmSync(join(root, name), { force: true });
};
