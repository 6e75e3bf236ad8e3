/** The files of one run of a container: the one being written, and those rotated away from it. */

import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Where the last lines of a log begin, found from its end: the price is that of the lines, not of the file. */

interface LogPosition {
  /** Index into the files that were given. */
  readonly file: number;
  readonly offset: number;
}

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * The last `lines` lines across all files, oldest first; no lines is the end of the last file.
 * Undefined when one of the files is no longer where it was: list again.
 */
export async function tailPosition(files: readonly LogFile[], lines: number): Promise<LogPosition | undefined> {
  // The newline of the last line ends it and begins none, so one more is looked for.
  let wanted = lines + 1;
  for (const [index, file] of [...files.entries()].reverse()) {
    const handle = await openLogFile(file);
    if (!handle) return undefined;
    try {
      const found = await searchBackwards(handle, wanted);
      if (found.offset !== undefined) return { file: index, offset: found.offset };
      wanted = found.left;
    } finally {
      await handle.close();
    }
  }
  return { file: 0, offset: 0 };
}

async function searchBackwards(handle: FileHandle, wanted: number): Promise<{ left: number; offset?: number }> {
  const block = Buffer.allocUnsafe(BLOCK);
  const { size } = await handle.stat();
  let left = wanted;
  for (let end = size; end > 0; end -= Math.min(BLOCK, end)) {
    const start = Math.max(0, end - BLOCK);
    const { bytesRead } = await handle.read(block, 0, end - start, start);
    for (let at = block.lastIndexOf(NEWLINE, bytesRead - 1); at >= 0; at = previousNewline(block, at)) {
      left -= 1;
      if (left === 0) return { left, offset: start + at + 1 };
    }
  }
  return { left };
}

const previousNewline = (block: Buffer, at: number): number => (at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1));

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
