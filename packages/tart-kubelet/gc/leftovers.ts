import { parseGuestName } from '../guests/guest-name.ts';

export interface LeftoversSeen {
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
