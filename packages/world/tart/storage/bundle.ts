import {
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { doesNotExist, missingFiles } from '../tart-call.ts';
import type { VmConfig } from './vm-config.ts';

/**
 * One directory with `config.json`, `disk.img`, `nvram.bin`. Files with a leading dot belong to the simulation, not to
 * Tart.
 */
export interface Bundle {
  readonly directory: string;
  readonly config: string;
  readonly disk: string;
  readonly nvram: string;
  /** Exists while the VM is suspended. */
  readonly snapshot: string;
  readonly socket: string;
  /**
   * Represents the fcntl lock on `config.json`. It moves with the directory: a bundle replaced under a running VM is
   * not locked.
   */
  readonly lock: string;
  /** Pid of the lock holder, which fcntl would report and SQLite does not. */
  readonly owner: string;
  readonly facts: string;
  /** The guest's file system. */
  readonly guest: string;
}

export const bundleAt = (directory: string): Bundle => ({
  directory,
  config: join(directory, 'config.json'),
  disk: join(directory, 'disk.img'),
  nvram: join(directory, 'nvram.bin'),
  snapshot: join(directory, 'state.vzvmsave'),
  socket: join(directory, 'control.sock'),
  lock: join(directory, '.lock'),
  owner: join(directory, '.owner'),
  facts: join(directory, '.simulated.json'),
  guest: join(directory, '.guest'),
});

/** Simulated sizes in place of tens of gigabytes of data. */
interface BundleFacts {
  readonly diskBytes: number;
  readonly allocatedBytes: number;
  /** Disks with the same content share their blocks, like APFS clones: removing one of them frees no space. */
  readonly content: string;
  /** The remote name of the original image, preserved through clones. */
  readonly image?: string;
}

export const complete = (bundle: Bundle): boolean =>
  [bundle.config, bundle.disk, bundle.nvram].every(path => existsSync(path));

/** Fails with `VM "x" does not exist` (2) or for missing files (1), and updates the access time. */
export function openBundle(bundle: Bundle, name: string, now: number): Bundle {
  if (!existsSync(bundle.directory)) throw doesNotExist(name);
  if (!complete(bundle)) throw missingFiles();
  markAccess(bundle, now);
  return bundle;
}

export const readConfig = (bundle: Bundle): VmConfig => JSON.parse(readFileSync(bundle.config, 'utf8')) as VmConfig;

/** Written in place, so that the lock on it stays. */
export const writeConfig = (bundle: Bundle, config: VmConfig): void =>
  writeFileSync(bundle.config, JSON.stringify(config, undefined, 2).replaceAll('/', '\\/'));

export function readFacts(bundle: Bundle): BundleFacts {
  try {
    return JSON.parse(readFileSync(bundle.facts, 'utf8')) as BundleFacts;
  } catch {
    // Made by hand or by the real tool: use the size of the disk file.
    const bytes = existsSync(bundle.disk) ? statSync(bundle.disk).size : 0;
    return { diskBytes: bytes, allocatedBytes: bytes, content: basename(bundle.directory) };
  }
}

export function writeFacts(bundle: Bundle, facts: BundleFacts, now: number): void {
  writeFileSync(bundle.facts, JSON.stringify(facts));
  markAccess(bundle, now);
}

/**
 * Tart sets the access date of the directory, which a mount with relatime would not keep; here the facts file has it.
 */
export function markAccess(bundle: Bundle, at: number): void {
  if (existsSync(bundle.facts)) utimesSync(bundle.facts, at / 1_000, at / 1_000);
}

export const accessedAt = (bundle: Bundle): number =>
  statSync(existsSync(bundle.facts) ? bundle.facts : bundle.directory).mtimeMs;

/** Copies a bundle like an APFS clone: same content, no new blocks. Lock, owner and socket are not copied. */
export function copyBundle(from: Bundle, to: Bundle, now: number): void {
  for (const part of ['config', 'nvram', 'disk', 'snapshot'] as const) {
    if (existsSync(from[part])) copyFileSync(from[part], to[part], constants.COPYFILE_FICLONE);
  }
  if (existsSync(from.guest))
    cpSync(from.guest, to.guest, { recursive: true, verbatimSymlinks: true, filter: copyable });
  writeFacts(to, readFacts(from), now);
}

/** A guest may have left sockets and pipes, which cannot be copied as files. */
function copyable(path: string): boolean {
  const stat = lstatSync(path);
  return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink();
}
