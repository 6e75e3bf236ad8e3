import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TartCall } from '../tart-call.ts';
import { accessedAt, type Bundle, bundleAt, readFacts } from './bundle.ts';
import { listImages, parseRemoteName } from './image-cache.ts';
import { listLocal, openHome } from './local-vms.ts';
import { type Lock, tryLock } from './lock.ts';

/** A bundle under construction. */
interface TemporaryBundle {
  readonly bundle: Bundle;
  /** Releases the lock; the directory stays for a later attempt. */
  release(): void;
  discard(): void;
}

/** Next to the directory instead of in it, so that moving the bundle into place does not move the lock. */
const lockOf = (call: TartCall, entry: string): string => join(openHome(call.home).temporary, `.${entry}.lock`);

export function makeTemporary(
  call: TartCall,
  entry: string = call.around.chance.uuid().toUpperCase(),
): TemporaryBundle {
  const directory = join(openHome(call.home).temporary, entry);
  // Locked before the directory exists. The real tool creates the directory first, and a `tart list` in between removes
  // it, which would fail a clone at random here. Tests that need such a failure inject a fault.
  const lock = lockEntry(lockOf(call, entry));
  mkdirSync(directory, { recursive: true });
  const release = (): void => {
    rmSync(lockOf(call, entry), { force: true });
    lock.release();
  };
  return {
    bundle: bundleAt(directory),
    release,
    discard() {
      rmSync(directory, { recursive: true, force: true });
      release();
    },
  };
}

/** Waits while another call removes the leftovers of a killed call with the same name. */
function lockEntry(path: string): Lock {
  for (;;) {
    const lock = tryLock(path);
    // A file that was removed in the meantime locks nothing.
    if (lock && existsSync(path)) return lock;
    lock?.release();
  }
}

/**
 * Runs before every command but `pull` and `clone`: removes everything that is not locked, including the partial data
 * of a killed pull.
 */
export function collectTemporary(call: TartCall): void {
  const { temporary } = openHome(call.home);
  for (const entry of readdirSync(temporary)) {
    if (entry.startsWith('.')) continue;
    const lock = tryLock(lockOf(call, entry));
    if (!lock) continue;
    rmSync(join(temporary, entry), { recursive: true, force: true });
    rmSync(lockOf(call, entry), { force: true });
    lock.release();
    call.around.journal.add('tart', 'tmp collected', entry);
  }
}

/** Bytes left: the free space in the host file, minus each distinct content once. */
export function availableBytes(call: TartCall): number {
  const free = call.host().disk?.freeBytes;
  if (free === undefined) return Number.POSITIVE_INFINITY;
  const contents = new Map<string, number>();
  for (const { bundle } of [...listLocal(call), ...listImages(call)]) {
    const facts = readFacts(bundle);
    contents.set(facts.content, Math.max(contents.get(facts.content) ?? 0, facts.allocatedBytes));
  }
  return free - [...contents.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * Removes cached images, least recently used first, until the bytes fit. Any value of TART_NO_AUTO_PRUNE disables it.
 */
export function autoPrune(call: TartCall, needed: number): void {
  if (call.environment['TART_NO_AUTO_PRUNE'] !== undefined) return;
  const digests = listImages(call)
    .filter(({ name }) => 'digest' in (parseRemoteName(name)?.reference ?? {}))
    .sort((one, other) => accessedAt(one.bundle) - accessedAt(other.bundle));
  for (const { name, bundle } of digests) {
    if (availableBytes(call) >= needed) return;
    rmSync(bundle.directory, { recursive: true, force: true });
    call.around.journal.add('tart', 'auto-pruned', name);
  }
}
