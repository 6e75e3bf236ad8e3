import { seconds } from '@minifleet/clock';
import type { HostView } from './host.ts';

/** The whole output of `fdesetup status` on a Mac that boots without a person. */
export const FILE_VAULT_OFF = 'FileVault is Off.';

/**
 * State of FileVault in the words of `fdesetup status`, which needs no root. A Mac with FileVault stops at the unlock screen of the next
 * boot. So does one that is still being encrypted, or that will be at the next login: `FileVault is Off.` followed by another line.
 */
export async function readFileVault(host: HostView): Promise<string> {
  const { stdout } = await host.query(['/usr/bin/fdesetup', 'status'], { timeout: seconds(30) });
  const lines = stdout.trim().split('\n');
  return lines.every(line => STATUS.test(line)) ? lines.join(' ') : 'fdesetup reports no known status';
}

/** Lines of a status. The status is part of messages, so the output of a failed command is left out. */
const STATUS = /^(?:FileVault|Encryption|Decryption|Deferred) .{1,100}$/;
