/** The files of one run of a container: the one being written, and those rotated away from it. */
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

export interface LogFile {
  readonly path: string;
  /** Tells files apart through a rename. */
  readonly inode: number;
}

/** Oldest first: rotated files are `<file>.<anything>` in the order of their last write, and the file itself is last. */
export async function listLogFiles(file: string): Promise<LogFile[]> {
  const folder = path.dirname(file);
  const base = path.basename(file);
  const names = (await readdir(folder).catch(() => [])).filter(name => name === base || isRotated(name, base));
  const found = await Promise.all(names.map(name => describe(path.join(folder, name))));
  const order = (one: { path: string }): number => (one.path === file ? 1 : 0);
  return found
    .filter(one => one !== undefined)
    .sort((a, b) => order(a) - order(b) || a.written - b.written || a.path.localeCompare(b.path));
}

const isRotated = (name: string, base: string): boolean => name.startsWith(`${base}.`) && !/\.(gz|tmp)$/.test(name);

/** Undefined when it was removed meanwhile. */
async function describe(file: string): Promise<(LogFile & { written: number }) | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() ? { path: file, inode: found.ino, written: found.mtimeMs } : undefined;
}

/** Undefined when there is no such file (any more). */
export async function openLogFile(file: string): Promise<FileHandle | undefined> {
  return open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
