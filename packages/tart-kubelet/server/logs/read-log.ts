/** Reads the bytes of a run's log from a position, across rotations, to the end or continuously. */
import type { FileHandle } from 'node:fs/promises';
import type { LogFollower } from './follow-log.ts';
import { type LogFile, listLogFiles, openLogFile, tailPosition } from './log-files.ts';

interface ReadLogOptions {
  readonly file: string;
  readonly tailLines: number | undefined;
  /** Without it, the log is read once, to its end. */
  readonly follower?: LogFollower | undefined;
}

const CHUNK = 256 * 1024;

interface OpenLogFile extends LogFile {
  readonly handle: FileHandle;
  offset: number;
}

export async function* readLog({ file, tailLines, follower }: ReadLogOptions): AsyncGenerator<Buffer> {
  let reading = await openFirst(file, tailLines);
  try {
    for (;;) {
      const change = follower?.next();
      // Evaluated before reading, so that everything written before the end is read.
      const over = follower?.over ?? true;
      if (reading) yield* readRest(reading);
      const next = await openNext(file, reading);
      if (next) {
        // More may have been written between the last read and the rotation; nothing is written after it.
        if (reading) yield* readRest(reading);
        await reading?.handle.close();
        reading = next;
        follower?.watchFile(next.path);
      } else if (over) return;
      else await change;
    }
  } finally {
    await reading?.handle.close();
  }
}

/** A file rotated between listing and opening is listed again under its new name. */
async function openFirst(file: string, tailLines: number | undefined): Promise<OpenLogFile | undefined> {
  for (;;) {
    const files = await listLogFiles(file);
    if (files.length === 0) return undefined;
    const position = tailLines === undefined ? { file: 0, offset: 0 } : await tailPosition(files, tailLines);
    const first = position && (await openAt(files[position.file], position.offset));
    if (first) return first;
  }
}

/** File after the one just read; undefined while that one is the last. */
async function openNext(file: string, reading: OpenLogFile | undefined): Promise<OpenLogFile | undefined> {
  for (;;) {
    const files = await listLogFiles(file);
    // If the current file is no longer listed, it was removed as too old: continue with the oldest remaining one.
    const next = files[files.findIndex(({ inode }) => inode === reading?.inode) + 1];
    if (!next) return undefined;
    const opened = await openAt(next, 0);
    if (opened) return opened;
  }
}

async function openAt(file: LogFile | undefined, offset: number): Promise<OpenLogFile | undefined> {
  const handle = file && (await openLogFile(file));
  return handle && { ...file, handle, offset };
}

async function* readRest(reading: OpenLogFile): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await reading.handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, reading.offset);
    if (bytesRead === 0) return;
    reading.offset += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
