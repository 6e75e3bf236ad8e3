import { ftruncateSync, writeSync } from 'node:fs';
import { access, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, pause, seconds } from '@minifleet/clock';

interface WriteUntilItFitsOptions {
  /** The guest's folder: when it is gone, nobody wants the file any more. */
  readonly directory: string;
  readonly clock: Clock;
  readonly write: () => Promise<void>;
  /** Called after the first try, whatever came of it. */
  readonly onFirstTry?: () => void;
}

const AGAIN = seconds(1);

/** On a full disk a write is tried until it fits. True when it is done. */
export async function writeUntilItFits(options: WriteUntilItFitsOptions): Promise<boolean> {
  for (;;) {
    const kept = await options.write().then(
      () => true,
      () => false,
    );
    options.onFirstTry?.();
    if (kept || !(await exists(options.directory))) return kept;
    await pause(options.clock, AGAIN);
  }
}

/** Told before and after each durable write, by the file's name: the seam at which a test ends the process. */
export type OnDurableWrite = (moment: 'before' | 'after', file: string) => void;

export interface DurableOptions {
  readonly mode?: number;
  readonly onDurableWrite?: OnDurableWrite | undefined;
}

/** Replaces a file so that after a power cut it is whole: either as it was or as it is wanted. Costs two flushes of the disk. */
export async function writeDurably(path: string, text: string, options: DurableOptions = {}): Promise<void> {
  options.onDurableWrite?.('before', basename(path));
  const beside = join(dirname(path), `.${basename(path)}.new`);
  try {
    await writeAndSync(await open(beside, 'w', options.mode ?? 0o600), text);
    await rename(beside, path);
  } catch (error) {
    // A full disk must not keep half a file as well.
    await rm(beside, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
  options.onDurableWrite?.('after', basename(path));
}

/**
 * Creates a file that nobody has created before; false when somebody has. Of any number of callers one gets true, for ever.
 * One that a full disk does not take is gone again when this rejects: its name alone would count as the file.
 */
export async function createDurably(path: string, text: string, options: DurableOptions = {}): Promise<boolean> {
  options.onDurableWrite?.('before', basename(path));
  const file = await openNew(path, options.mode ?? 0o600);
  if (!file) return false;
  try {
    await writeAndSync(file, text);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
  options.onDurableWrite?.('after', basename(path));
  return true;
}

async function openNew(path: string, mode: number): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

/** Makes a directory that is still there after a power cut. Its parents must exist or be made here. */
export async function makeDirectoryDurably(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

/** Renames within a directory, and the rename is still done after a power cut. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncDirectory(dirname(to));
}

async function writeAndSync(file: FileHandle, text: string): Promise<void> {
  try {
    await file.writeFile(text);
    // F_FULLFSYNC on macOS: Node asks for it there.
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A name in a directory is only safe when the directory itself was flushed. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Whether there is anything at this path. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const NEWLINE = 0x0a;

/**
 * Appends lines to a file that nobody else writes and that ends at `size`. A disk that is full in the middle throws, and
 * keeps only the lines that fitted whole: what comes after the torn one would be taken for its end.
 */
export function appendLines(file: number, lines: Buffer, size: number): void {
  let at = 0;
  try {
    while (at < lines.length) at += writeSync(file, lines, at);
  } catch (error) {
    ftruncateSync(file, size + lines.subarray(0, at).lastIndexOf(NEWLINE) + 1);
    throw error;
  }
}
