import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { milliseconds, pause } from '@minifleet/clock';
import type { TartCall } from '../tart-call.ts';

/**
 * A lock that lives exactly as long as its process. Node has neither fcntl nor flock, but its SQLite takes real fcntl
 * locks: an exclusive transaction on an empty file is one. The kernel drops it on any end of the process, SIGKILL too, and
 * no pid is compared, so reuse of pids does no harm.
 */
export interface Lock {
  release(): void;
}

/**
 * Only another's look stands in the way of a lock that nobody holds: it shares it for a moment, which on a busy machine
 * was seen to be more than 200 ms.
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
  // Kept from the collector, which would close it and so drop the lock.
  held.add(database);
  return {
    release() {
      if (held.delete(database)) database.close();
    },
  };
}

/** Whether someone else holds it. A file that cannot be opened is not locked, as the real tool concludes. */
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
  /** Called once when someone else has it. */
  readonly onWait?: () => void;
}

export async function waitForLock(call: TartCall, path: string, options: WaitOptions = {}): Promise<Lock> {
  for (let turn = 0; ; turn++) {
    const lock = tryLock(path);
    if (lock) return lock;
    if (turn === 0) options.onWait?.();
    // No delay of the world's: on a fast clock it must not become a busy loop.
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
