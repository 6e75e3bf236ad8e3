import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { milliseconds, pause } from '@minifleet/clock';
import type { TartCall } from '../tart-call.ts';

/**
 * A lock with the lifetime of its process. Node has neither fcntl nor flock, but its SQLite takes real fcntl locks: an
 * exclusive transaction on an empty file is one. The kernel releases it at any end of the process, including SIGKILL.
 * No pid is compared, so reuse of pids is harmless.
 */
export interface Lock {
  release(): void;
}

/**
 * An unheld lock is unavailable only while another process checks it: the check shares the lock for a moment, which was
 * observed to take more than 200 ms on a busy machine.
 */
const PATIENCE_MILLISECONDS = 20_000;

const held = new Set<DatabaseSync>();

export function tryLock(path: string): Lock | undefined {
  if (locked(path)) return undefined;
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA busy_timeout = ${PATIENCE_MILLISECONDS}; BEGIN EXCLUSIVE`);
  } catch {
    database.close();
    return undefined;
  }
  // Kept from the garbage collector, which would close it and release the lock.
  held.add(database);
  return {
    release() {
      if (held.delete(database)) database.close();
    },
  };
}

/**
 * Returns true if another process holds the lock. A file that cannot be opened counts as unlocked, as in the real tool.
 */
export function locked(path: string): boolean {
  if (!existsSync(path)) return false;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    return (error as { errcode?: number }).errcode === SQLITE_BUSY;
  } finally {
    database?.close();
  }
}

const SQLITE_BUSY = 5;

interface WaitOptions {
  /** Called once if another process holds the lock. */
  readonly onWait?: () => void;
}

export async function waitForLock(call: TartCall, path: string, options: WaitOptions = {}): Promise<Lock> {
  for (let turn = 0; ; turn++) {
    const lock = tryLock(path);
    if (lock) return lock;
    if (turn === 0) options.onWait?.();
    // Real time, so that a fast world clock does not make this a busy loop.
    await pause(call.around.clock, milliseconds(20 * (call.host().speed ?? 1)));
  }
}

/** Runs while holding the lock. */
export async function holding<T>(call: TartCall, path: string, work: () => T | Promise<T>): Promise<T> {
  const lock = await waitForLock(call, path);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
