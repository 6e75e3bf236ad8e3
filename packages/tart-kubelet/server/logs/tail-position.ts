/** Where the last lines of a log begin, found from its end: the price is that of the lines, not of the file. */
import type { FileHandle } from 'node:fs/promises';
import { type LogFile, openLogFile } from './log-files.ts';

export interface LogPosition {
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
