/** The files of one run of a container: the one being written, and those rotated away from it. */
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

export interface LogFile {
  readonly path: string;
  /** Tells files apart through a rename. */
  readonly inode: number;
}

/**
 * Oldest first: rotated files are `<file>.<anything>` in the order of their last write, and the file itself is last.
 * A rotation between the look at the names and the look at the files would hide the file that is no longer called so,
 * and a reader would skip it, or begin anew: what is listed is what was there in one moment.
 */
export async function listLogFiles(file: string, namesIn = readNames): Promise<LogFile[]> {
  for (;;) {
    const before = await describe(file);
    const found = await lookAt(file, await namesIn(path.dirname(file)));
    const after = await describe(file);
    if (before?.inode === after?.inode) return found;
  }
}

const readNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

async function lookAt(file: string, names: readonly string[]): Promise<LogFile[]> {
  const base = path.basename(file);
  const ours = names.filter(name => name === base || isRotated(name, base));
  const found = await Promise.all(ours.map(name => describe(path.join(path.dirname(file), name))));
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

/** Undefined when it is no longer under that name: list again. */
export async function openLogFile(file: LogFile): Promise<FileHandle | undefined> {
  const handle = await open(file.path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle || (await handle.stat()).ino === file.inode) return handle;
  await handle.close();
  return undefined;
}
