/** Lets only one process at a time fill the cache, because two parallel builds of Kubernetes save no time. */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const POLL = 250;

/**
 * Runs `work` while holding the lock of the directory. `waiting` gets the pid of the current holder. The lock of a dead
 * process is taken over. If two processes take over the same lock, both build; the cache renames files into place, so
 * this is harmless.
 */
export async function withCacheLock<Result>(
  directory: string,
  waiting: (holder: number) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(directory, { recursive: true });
  const lock = path.join(directory, 'filling.lock');
  while (!(await taken(lock))) {
    const holder = await holderOf(lock);
    if (holder !== undefined && isAlive(holder)) {
      waiting(holder);
      await pause(POLL);
    } else if (holder !== undefined) {
      await rm(lock, { force: true });
    }
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Creates the lock with its holder's pid in it. A link is atomic, whereas a created file is empty for a moment. */
async function taken(lock: string): Promise<boolean> {
  const claim = `${lock}.${randomUUID()}`;
  await writeFile(claim, `${process.pid}\n`);
  try {
    await link(claim, lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(claim, { force: true });
  }
}

/** Returns undefined when the lock has just been released. */
async function holderOf(lock: string): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(lock, 'utf8'), 10);
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
