/** Files of one run of a container: the current one and the rotated ones. */

import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Finds the start of the last lines from the end, so that the cost depends on the lines and not on the file. */

interface LogPosition {
  /** Index into the given files. */
  readonly file: number;
  readonly offset: number;
}

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Position of the last `lines` lines across all files, oldest first; 0 lines is the end of the last file.
 * Undefined if a file was renamed meanwhile: the caller lists the files again.
 */
export async function tailPosition(files: readonly LogFile[], lines: number): Promise<LogPosition | undefined> {
  // The newline at the end of the last line starts no line, so one more is needed.
  let remaining = lines + 1;
  for (const [index, file] of [...files.entries()].reverse()) {
    const handle = await openLogFile(file);
    if (!handle) return undefined;
    try {
      const found = await searchBackwards(handle, remaining);
      if (found.offset !== undefined) return { file: index, offset: found.offset };
      remaining = found.left;
    } finally {
      await handle.close();
    }
  }
  return { file: 0, offset: 0 };
}

async function searchBackwards(handle: FileHandle, remaining: number): Promise<{ left: number; offset?: number }> {
  const block = Buffer.allocUnsafe(BLOCK);
  const { size } = await handle.stat();
  let left = remaining;
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
  /** Identifies a file across renames. */
  readonly inode: number;
}

/**
 * Lists the files, oldest first: rotated files are `<file>.<anything>` in the order of their last write, and the file
 * itself is last. A rotation between reading the names and reading the files would hide the renamed file, and a reader
 * would skip it or start over; so the listing repeats until it is consistent.
 */
export async function listLogFiles(file: string, namesIn = readNames): Promise<LogFile[]> {
  for (;;) {
    const before = await describe(file);
    const found = await describeFiles(file, await namesIn(path.dirname(file)));
    const after = await describe(file);
    if (before?.inode === after?.inode) return found;
  }
}

const readNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

async function describeFiles(file: string, names: readonly string[]): Promise<LogFile[]> {
  const base = path.basename(file);
  const ours = names.filter(name => name === base || isRotated(name, base));
  const found = await Promise.all(ours.map(name => describe(path.join(path.dirname(file), name))));
  const order = (one: { path: string }): number => (one.path === file ? 1 : 0);
  return found
    .filter(one => one !== undefined)
    .sort((a, b) => order(a) - order(b) || a.written - b.written || a.path.localeCompare(b.path));
}

const isRotated = (name: string, base: string): boolean => name.startsWith(`${base}.`) && !/\.(gz|tmp)$/.test(name);

/** Undefined if the file was removed meanwhile. */
async function describe(file: string): Promise<(LogFile & { written: number }) | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() ? { path: file, inode: found.ino, written: found.mtimeMs } : undefined;
}

/** Undefined if the file was renamed: the caller lists the files again. */
export async function openLogFile(file: LogFile): Promise<FileHandle | undefined> {
  const handle = await open(file.path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle || (await handle.stat()).ino === file.inode) return handle;
  await handle.close();
  return undefined;
}
