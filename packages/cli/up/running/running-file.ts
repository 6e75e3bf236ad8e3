import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What other commands must know of the `up` that runs. One at a time: a second would be told of the first. */
export interface Running {
  readonly pid: number;
  readonly kubeconfig: string;
  /** A folder for PATH. */
  readonly tools: string;
  /** A socket on which it takes orders. */
  readonly control: string;
}

const fileIn = (stateDirectory: string): string => join(stateDirectory, 'up.json');

export async function writeRunning(stateDirectory: string, running: Running): Promise<void> {
  const file = fileIn(stateDirectory);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Renamed into place: whoever reads it meanwhile has all of it or none.
  await writeFile(`${file}.part`, JSON.stringify(running), { mode: 0o600 });
  await rename(`${file}.part`, file);
}

/** Also that of one that was killed: whether it still answers, its socket tells. */
export function readRunning(stateDirectory: string): Running | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(stateDirectory), 'utf8')) as Running;
  } catch {
    return undefined;
  }
}

export const forgetRunning = (stateDirectory: string): Promise<void> => rm(fileIn(stateDirectory), { force: true });
