import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installRunner } from '../../actions-runner/install-runner.ts';
import type { Call } from '../call.ts';
import { installTart } from '../install-tart.ts';

/** By the name before the slash; what is after it is the version. */
const INSTALLERS: Readonly<Record<string, (call: Call, root: string, version: string) => void>> = {
  'actions-runner'(_, root, version) {
    const folder = join(root, 'Users/admin/actions-runner');
    if (!existsSync(folder)) installRunner(folder, version);
  },
  // On the PATH of the guest, and as helpless there as on a Mac that is a VM (I30).
  tart: (call, root) => void installTart({ directory: join(root, 'usr/bin'), world: call.worldDirectory }),
};

/** Puts what is on the disk into the guest's file system. What an earlier boot has made of it stays. */
export function installSoftware(call: Call, root: string, software: readonly string[]): void {
  for (const name of software) {
    const [kind = '', version = ''] = name.split('/');
    const install = INSTALLERS[kind];
    if (install) install(call, root, version);
    else call.around.journal.unmodelled('tart', `software ${name}`);
  }
}
