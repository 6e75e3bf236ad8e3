import { errorMessage, type Stat } from '../files/file-system.ts';

import type { Run } from '../mac.ts';
import { nameOf } from './getopt.ts';

export const resolve = (run: Pick<Run, 'directory'>, path: string): string =>
  path.startsWith('/') ? path : `${run.directory}/${path}`;

/** Calls back for each operand. A file error is printed as `name: path: message` and makes the exit code 1. */
export function forEachPath(run: Run, paths: readonly string[], act: (path: string, given: string) => void): number {
  let failed = 0;
  for (const given of paths) {
    try {
      act(resolve(run, given), given);
    } catch (error) {
      run.err(`${nameOf(run)}: ${given}: ${errorMessage(error)}\n`);
      failed = 1;
    }
  }
  return failed;
}

/** Reads a file named on a command line, or standard input for `-`, `/dev/stdin` and no operand. */
export async function readOperand(run: Run, path: string | undefined): Promise<Buffer> {
  if (path === undefined || path === '-' || path === '/dev/stdin') return run.readStdin();
  return run.mac.files.read(run.user, resolve(run, path));
}

/** Reads each operand in turn, or standard input if there is none, and prints which cannot be read. */
export async function readOperands(
  run: Run,
  paths: readonly string[],
): Promise<{
  readonly texts: { readonly path: string | undefined; readonly content: Buffer }[];
  readonly failed: boolean;
}> {
  const texts: { path: string | undefined; content: Buffer }[] = [];
  let failed = false;
  for (const path of paths.length > 0 ? paths : [undefined]) {
    try {
      texts.push({ path, content: await readOperand(run, path) });
    } catch (error) {
      run.err(`${nameOf(run)}: ${path ?? 'stdin'}: ${errorMessage(error)}\n`);
      failed = true;
    }
  }
  return { texts, failed };
}

export function statOf(run: Run, path: string, followLinks = true): Stat | undefined {
  try {
    return run.mac.files.stat(run.user, resolve(run, path), { followLinks });
  } catch {
    return undefined;
  }
}

export const linesOf = (content: Buffer | string): string[] => {
  const text = content.toString();
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
};

export const isDirectory = (run: Run, path: string): boolean => statOf(run, path)?.type === 'directory';

export const lastName = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? '';
