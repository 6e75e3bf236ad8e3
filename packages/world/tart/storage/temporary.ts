import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../call.ts';
import { type Bundle, bundleAt } from './bundle.ts';
import { openHome } from './home.ts';
import { type Lock, tryLock } from './lock.ts';

/** A bundle in the making. */
export interface TemporaryBundle {
  readonly bundle: Bundle;
  /** Gives up the lock; the directory stays for a later try. */
  release(): void;
  discard(): void;
}

/** Beside the directory rather than in it, so that moving the bundle into place does not carry the lock along. */
const lockOf = (call: Call, entry: string): string => join(openHome(call.home).temporary, `.${entry}.lock`);

export function makeTemporary(call: Call, entry: string = call.around.chance.uuid().toUpperCase()): TemporaryBundle {
  const directory = join(openHome(call.home).temporary, entry);
  mkdirSync(directory, { recursive: true });
  // The real tool has the same small gap between making and locking.
  const lock: Lock | undefined = tryLock(lockOf(call, entry));
  const release = (): void => {
    lock?.release();
    rmSync(lockOf(call, entry), { force: true });
  };
  return {
    bundle: bundleAt(directory),
    release,
    discard() {
      release();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Before every command but `pull` and `clone`: whatever nobody holds is removed, a killed pull's partial data too. */
export function collectTemporary(call: Call): void {
  const { temporary } = openHome(call.home);
  for (const entry of readdirSync(temporary)) {
    if (entry.startsWith('.')) continue;
    const lock = tryLock(lockOf(call, entry));
    if (!lock) continue;
    rmSync(join(temporary, entry), { recursive: true, force: true });
    lock.release();
    rmSync(lockOf(call, entry), { force: true });
    call.around.journal.add('tart', 'tmp collected', entry);
  }
}
