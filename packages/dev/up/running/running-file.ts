import { existsSync, readFileSync, rmSync } from 'node:fs';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
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

/** False when one is written down already, which then stays. */
export async function writeRunning(stateDirectory: string, running: Running): Promise<boolean> {
  const file = fileIn(stateDirectory);
  const part = `${file}.${running.pid}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Linked into place: whoever reads it meanwhile has all of it or none, and of two who write at once one does.
  await writeFile(part, JSON.stringify(running), { mode: 0o600 });
  try {
    await link(part, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // What nobody can read would be in the way for ever.
    if (!readRunning(stateDirectory)) rmSync(file, { force: true });
    return false;
  } finally {
    await rm(part);
  }
}

/** Also that of one that was killed: whether it still answers, its socket tells. */
export function readRunning(stateDirectory: string): Running | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(stateDirectory), 'utf8')) as Running;
  } catch {
    return undefined;
  }
}

/** The kubeconfig of the running `up`. An `up` that was killed leaves its file here but no kubeconfig. */
export function runningKubeconfig(stateDirectory: string): string | undefined {
  const kubeconfig = readRunning(stateDirectory)?.kubeconfig;
  return kubeconfig !== undefined && existsSync(kubeconfig) ? kubeconfig : undefined;
}

/** Not what another has written in its place meanwhile. */
export function forgetRunning(stateDirectory: string, { control }: Pick<Running, 'control'>): void {
  if (readRunning(stateDirectory)?.control === control) rmSync(fileIn(stateDirectory), { force: true });
}
