/** The bytes of a run's log from where they are wanted, through rotations, to the end or for as long as they come. */
import type { FileHandle } from 'node:fs/promises';
import type { Following } from './follow-log.ts';
import { type LogFile, listLogFiles, openLogFile, tailPosition } from './log-files.ts';

interface ReadLogOptions {
  readonly file: string;
  readonly tailLines: number | undefined;
  /** Without it the log is read once, to its end. */
  readonly following?: Following | undefined;
}

const CHUNK = 256 * 1024;

interface Reading extends LogFile {
  readonly handle: FileHandle;
  offset: number;
}

export async function* readLog({ file, tailLines, following }: ReadLogOptions): AsyncGenerator<Buffer> {
  let reading = await openFirst(file, tailLines);
  try {
    for (;;) {
      const change = following?.next();
      // Asked before reading: what was written before the end is then read after it was known.
      const over = following?.over ?? true;
      if (reading) yield* readRest(reading);
      const next = await openNext(file, reading);
      if (next) {
        // Between our last read and the rotation more may have been written; after it, nothing.
        if (reading) yield* readRest(reading);
        await reading?.handle.close();
        reading = next;
        following?.watchFile(next.path);
      } else if (over) return;
      else await change;
    }
  } finally {
    await reading?.handle.close();
  }
}

/** A file that is rotated away between being listed and being opened is listed again, under its new name. */
async function openFirst(file: string, tailLines: number | undefined): Promise<Reading | undefined> {
  for (;;) {
    const files = await listLogFiles(file);
    if (files.length === 0) return undefined;
    const position = tailLines === undefined ? { file: 0, offset: 0 } : await tailPosition(files, tailLines);
    const first = position && (await openAt(files[position.file], position.offset));
    if (first) return first;
  }
}

/** The file after the one just read: undefined while that one is the last. */
async function openNext(file: string, reading: Reading | undefined): Promise<Reading | undefined> {
  for (;;) {
    const files = await listLogFiles(file);
    // One that is no longer listed was removed as too old: go on with the oldest that is left.
    const next = files[files.findIndex(({ inode }) => inode === reading?.inode) + 1];
    if (!next) return undefined;
    const opened = await openAt(next, 0);
    if (opened) return opened;
  }
}

async function openAt(file: LogFile | undefined, offset: number): Promise<Reading | undefined> {
  const handle = file && (await openLogFile(file));
  return handle && { ...file, handle, offset };
}

async function* readRest(reading: Reading): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await reading.handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, reading.offset);
    if (bytesRead === 0) return;
    reading.offset += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
