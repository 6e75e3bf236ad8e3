import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorFields, type Log } from '@minifleet/kube';
import { parseGuestName } from '../guests/guest-name.ts';
import type { TartVm } from '../guests/tart.ts';

interface LeftoverDirectories {
  readonly tart: string;
  readonly pods: string;
  readonly logs: string;
}

/** Names of folders that may be leftovers. */
interface FoldersOnDisk {
  readonly bundles: readonly string[];
  readonly podFolders: readonly string[];
  readonly logFolders: readonly string[];
}

export async function listOnDisk({ tart, pods, logs }: LeftoverDirectories): Promise<FoldersOnDisk> {
  const [bundles, podFolders, logFolders] = await Promise.all([join(tart, 'vms'), pods, logs].map(foldersIn));
  return { bundles: bundles ?? [], podFolders: podFolders ?? [], logFolders: logFolders ?? [] };
}

async function foldersIn(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    // Links are neither followed nor treated as folders.
    return entries.filter(entry => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

interface LeftoverInput {
  readonly onDisk: FoldersOnDisk;
  readonly vms: readonly TartVm[];
  /** UIDs of Pods and guests. */
  readonly known: ReadonlySet<string>;
  /** VM names of guests with a record. */
  readonly keys: ReadonlySet<string>;
}

/** Removes what Tart does not list: half-deleted bundles, and folders of Pods that are gone. Returns their paths. */
export async function removeLeftovers(
  { directories, log }: { readonly directories: LeftoverDirectories; readonly log: Log },
  { onDisk, vms, known, keys }: LeftoverInput,
): Promise<string[]> {
  const listed = new Set(vms.map(({ name }) => name));
  const bundles = halfDeletedBundles({ folders: onDisk.bundles, listed, recorded: keys });
  const paths = [
    ...bundles.map(name => join(directories.tart, 'vms', name)),
    ...strayPodFolders(onDisk.podFolders, known).map(name => join(directories.pods, name)),
    ...strayLogFolders(onDisk.logFolders, known).map(name => join(directories.logs, name)),
  ];
  const gone = await Promise.all(paths.map(path => removeTree(path, log)));
  return gone.filter(path => path !== undefined);
}

async function removeTree(path: string, log: Log): Promise<string | undefined> {
  try {
    await rm(path, { recursive: true, force: true });
    return path;
  } catch (error) {
    log.warn({ ...errorFields(error), path }, 'Leftover could not be removed; retrying');
    return undefined;
  }
}

interface BundleInventory {
  /** Names of the folders in Tart's `vms`. */
  readonly folders: readonly string[];
  /** Names of the VMs that Tart lists. */
  readonly listed: ReadonlySet<string>;
  /** VM names of guests with a record. */
  readonly recorded: ReadonlySet<string>;
}

/**
 * Owned bundles that lost a file because a process died while creating or deleting them: Tart neither lists nor deletes
 * them, and their disks would stay forever. Bundles with a record are excluded, because they may be in creation.
 */
export const halfDeletedBundles = ({ folders, listed, recorded }: BundleInventory): string[] =>
  folders.filter(name => parseGuestName(name) !== undefined && !listed.has(name) && !recorded.has(name));

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Pod folders, named by UID, without a Pod or guest: they may contain secrets. */
export const strayPodFolders = (folders: readonly string[], known: ReadonlySet<string>): string[] =>
  folders.filter(name => UID.test(name) && !known.has(name));

/** Log folders, named `<namespace>_<name>_<uid>`, without a Pod or guest. */
export const strayLogFolders = (folders: readonly string[], known: ReadonlySet<string>): string[] =>
  folders.filter(name => {
    const uid = name.slice(name.lastIndexOf('_') + 1);
    return name.split('_').length === 3 && UID.test(uid) && !known.has(uid);
  });
