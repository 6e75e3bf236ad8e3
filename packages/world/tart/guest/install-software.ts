import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installRunner } from '../../actions-runner/install-runner.ts';
import type { Call } from '../call.ts';

/** Puts what is on the disk into the guest's file system. What an earlier boot has made of it stays. */
export function installSoftware(call: Call, root: string, software: readonly string[]): void {
  for (const name of software) {
    const [, version] = /^actions-runner\/(\S+)$/.exec(name) ?? [];
    const folder = join(root, 'Users/admin/actions-runner');
    if (version === undefined) call.around.journal.unmodelled('tart', `software ${name}`);
    else if (!existsSync(folder)) installRunner(folder, version);
  }
}
