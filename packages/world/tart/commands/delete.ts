import { existsSync, rmSync } from 'node:fs';
import type { Call } from '../call.ts';
import { doesNotExist, isRunning } from '../failure.ts';
import { removeImage } from '../storage/image-cache.ts';
import { localBundle } from '../storage/local-vms.ts';
import { tryLock } from '../storage/lock.ts';
import { parseRemoteName } from '../storage/remote-name.ts';
import type { Command } from './command.ts';

/** Stops at the first error. */
export const remove: Command = {
  shape: {
    name: 'delete',
    about: 'Delete a VM',
    positional: [{ name: 'name', help: 'VM name', repeated: true }],
    options: [],
  },
  run(call, given) {
    for (const name of given.positional) {
      const remote = parseRemoteName(name);
      if (remote) removeImage(call, remote);
      else removeLocal(call, name);
    }
  },
};

/** Without config.json there is nothing to lock: "does not exist", although the rest stays on the disk (facts 10.2). */
function removeLocal(call: Call, name: string): void {
  const bundle = localBundle(call, name);
  if (!existsSync(bundle.config)) throw doesNotExist(name);
  const lock = call.host().lockLies?.includes(name) ? { release: () => undefined } : tryLock(bundle.lock);
  if (!lock) throw isRunning(name);
  rmSync(bundle.directory, { recursive: true, force: true });
  lock.release();
  call.around.journal.add('tart', 'deleted', name);
}
