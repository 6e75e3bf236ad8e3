import type { Mac, MacPart, Program } from '../mac.ts';
import { refuseForm } from '../unix/getopt.ts';

/** Encryption of the disk: `deferred` begins at the next login of a user. */
type FileVaultState = 'off' | 'on' | 'encrypting' | 'decrypting' | 'deferred';

interface FileVault {
  state: FileVaultState;
}

const KEY = Symbol('file vault');

/** FileVault of a Mac (default: off, as on a delivered mini). Set it as a person does in System Settings. */
export const fileVaultOf = (mac: Mac): FileVault => mac.state(KEY, () => ({ state: 'off' }));

/** Output of `fdesetup status`, which needs no root. */
const STATUS: Readonly<Record<FileVaultState, string>> = {
  off: 'FileVault is Off.\n',
  on: 'FileVault is On.\n',
  encrypting: 'FileVault is On.\nEncryption in progress: Percent completed = 12\n',
  decrypting: 'FileVault is Off.\nDecryption in progress: Percent completed = 12\n',
  deferred: "FileVault is Off.\nDeferred enablement appears to be active for user 'm1'.\n",
};

const fdesetup: Program = run => {
  if (run.argv[1] !== 'status' || run.argv.length > 2) return refuseForm(run);
  run.out(STATUS[fileVaultOf(run.mac).state]);
  return 0;
};

/** True if the Mac stops at the unlock screen of the next boot, where it has neither network nor SSH until a person comes. */
export const isLockedAtBoot = (mac: Mac): boolean => ['on', 'encrypting'].includes(fileVaultOf(mac).state);

/** The fdesetup command. */
export const fileVaultPart: MacPart = () => ({ programs: { '/usr/bin/fdesetup': fdesetup } });
