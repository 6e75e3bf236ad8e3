import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TartCall } from '../tart-call.ts';
import { accessedAt, type Bundle, bundleAt, readFacts } from './bundle.ts';
import { listImages, parseRemoteName } from './image-cache.ts';
import { listLocal, openHome } from './local-vms.ts';
import { type Lock, tryLock } from './lock.ts';

/** A bundle in the making. */
interface TemporaryBundle {
  readonly bundle: Bundle;
  /** Gives up the lock; the directory stays for a later try. */
  release(): void;
  discard(): void;
}

/** Beside the directory rather than in it, so that moving the bundle into place does not carry the lock along. */
const lockOf = (call: TartCall, entry: string): string => join(openHome(call.home).temporary, `.${entry}.lock`);

export function makeTemporary(
  call: TartCall,
  entry: string = call.around.chance.uuid().toUpperCase(),
): TemporaryBundle {
  const directory = join(openHome(call.home).temporary, entry);
  // Locked before the directory exists. The real tool makes the directory first, and a `tart list` in between removes it:
  // here that would fail a clone by chance. Tests that want such a failure ask for it with a fault.
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

/** Waits while another call removes what a killed one left under the same name. */
function lockEntry(path: string): Lock {
  for (;;) {
    const lock = tryLock(path);
    // A file that was removed meanwhile locks nothing.
    if (lock && existsSync(path)) return lock;
    lock?.release();
  }
}

/** Before every command but `pull` and `clone`: whatever nobody holds is removed, a killed pull's partial data too. */
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

/** Bytes left: what the host file says is free without Tart, less each distinct content once. */
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

/** Removes cached images, least recently used first, until the bytes fit. TART_NO_AUTO_PRUNE of any value forbids it. */
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
