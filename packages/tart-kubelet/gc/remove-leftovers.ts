import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorFields, type Log } from '@minifleet/kube';
import { parseGuestName } from '../guests/guest-name.ts';
import type { TartVm } from '../guests/tart.ts';

interface Directories {
  readonly tart: string;
  readonly pods: string;
  readonly logs: string;
}

/** Names of the folders that may hold leftovers. */
interface OnDisk {
  readonly bundles: readonly string[];
  readonly podFolders: readonly string[];
  readonly logFolders: readonly string[];
}

export async function listOnDisk({ tart, pods, logs }: Directories): Promise<OnDisk> {
  const [bundles, podFolders, logFolders] = await Promise.all([join(tart, 'vms'), pods, logs].map(foldersIn));
  return { bundles: bundles ?? [], podFolders: podFolders ?? [], logFolders: logFolders ?? [] };
}

async function foldersIn(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    // A link is not followed, nor taken for a folder.
    return entries.filter(entry => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

interface LeftoverQuestion {
  readonly onDisk: OnDisk;
  readonly vms: readonly TartVm[];
  /** UIDs of Pods and of guests. */
  readonly known: ReadonlySet<string>;
  /** VM names of the guests with a record. */
  readonly keys: ReadonlySet<string>;
}

/** Removes what no list shows: half-deleted bundles, and folders of Pods that are gone. Gives their paths. */
export async function removeLeftovers(
  { directories, log }: { readonly directories: Directories; readonly log: Log },
  { onDisk, vms, known, keys }: LeftoverQuestion,
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
    log.warn({ ...errorFields(error), path }, 'A leftover could not be removed');
    return undefined;
  }
}

interface LeftoversSeen {
  /** Names of the folders in Tart's `vms`. */
  readonly folders: readonly string[];
  /** What Tart lists. */
  readonly listed: ReadonlySet<string>;
  /** Guests with a record, by name of their VM. */
  readonly recorded: ReadonlySet<string>;
}

/**
 * Bundles of ours that lost a file when somebody died while making or deleting them: Tart neither lists nor deletes
 * them, and their disks stay for ever. Never one with a record: it may be half made at this moment.
 */
export const halfDeletedBundles = ({ folders, listed, recorded }: LeftoversSeen): string[] =>
  folders.filter(name => parseGuestName(name) !== undefined && !listed.has(name) && !recorded.has(name));

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Folders of Pods, named by UID, that neither a Pod nor a guest has any more: they may hold secrets. */
export const strayPodFolders = (folders: readonly string[], known: ReadonlySet<string>): string[] =>
  folders.filter(name => UID.test(name) && !known.has(name));

/** Log folders are `<namespace>_<name>_<uid>`. */
export const strayLogFolders = (folders: readonly string[], known: ReadonlySet<string>): string[] =>
  folders.filter(name => {
    const uid = name.slice(name.lastIndexOf('_') + 1);
    return name.split('_').length === 3 && UID.test(uid) && !known.has(uid);
  });
