import { ftruncateSync, writeSync } from 'node:fs';
import { access, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, pause, seconds } from '@minifleet/clock';

interface RetryWriteOptions {
  /** The guest's folder: if it is gone, the file is no longer needed. */
  readonly directory: string;
  readonly clock: Clock;
  readonly write: () => Promise<void>;
  /** Called after the first attempt, whether or not it succeeded. */
  readonly onFirstTry?: () => void;
}

const RETRY_INTERVAL = seconds(1);

/** Retries a write on a full disk until it succeeds. Returns true on success. */
export async function retryWrite(options: RetryWriteOptions): Promise<boolean> {
  for (;;) {
    const kept = await options.write().then(
      () => true,
      () => false,
    );
    options.onFirstTry?.();
    if (kept || !(await exists(options.directory))) return kept;
    await pause(options.clock, RETRY_INTERVAL);
  }
}

/** Called before and after each durable write with the file name: tests end the process there. */
export type OnDurableWrite = (moment: 'before' | 'after', file: string) => void;

export interface DurableOptions {
  readonly mode?: number;
  readonly onDurableWrite?: OnDurableWrite | undefined;
}

/** Replaces a file so that after a power cut it has either its old or its new content. Costs two disk flushes. */
export async function writeDurably(path: string, text: string, options: DurableOptions = {}): Promise<void> {
  options.onDurableWrite?.('before', basename(path));
  const beside = join(dirname(path), `.${basename(path)}.new`);
  try {
    await writeAndSync(await open(beside, 'w', options.mode ?? 0o600), text);
    await rename(beside, path);
  } catch (error) {
    // A full disk must not keep the partial file as well.
    await rm(beside, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
  options.onDurableWrite?.('after', basename(path));
}

/**
 * Creates a file; false if it already exists. Exactly one of any number of callers ever gets true. If the disk is full,
 * the file is removed again before this rejects: its name alone would count as the claim.
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

/** Creates a directory that survives a power cut. Its parents must exist or are created here. */
export async function makeDirectoryDurably(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

/** Renames within a directory so that the rename survives a power cut. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncDirectory(dirname(to));
}

async function writeAndSync(file: FileHandle, text: string): Promise<void> {
  try {
    await file.writeFile(text);
    // Node uses F_FULLFSYNC on macOS.
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A name in a directory is durable only after the directory itself was flushed. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const NEWLINE = 0x0a;

/**
 * Appends lines to a file that has no other writer and ends at `size`. If the disk fills up in between, throws and
 * keeps only the complete lines: the next line would otherwise be appended to the torn one.
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
