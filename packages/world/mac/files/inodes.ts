import type { User } from '../mac.ts';
import { FileContent } from './content.ts';
import type { FileSystemOptions } from './create-file-system.ts';
import { fileError } from './file-system.ts';

interface Attributes {
  readonly inode: number;
  mode: number;
  uid: number;
  gid: number;
  modified: number;
}

export interface FileInode extends Attributes {
  readonly type: 'file';
  readonly content: FileContent;
  /** Number of names in directories; 0 after removal. */
  names: number;
  /** Number of open handles. */
  held: number;
}

export interface DirectoryInode extends Attributes {
  readonly type: 'directory';
  readonly children: Map<string, Inode>;
}

interface LinkInode extends Attributes {
  readonly type: 'link';
  readonly target: string;
}

export type Inode = FileInode | DirectoryInode | LinkInode;

const ADMIN = 80;

/** Groups besides the user's primary group: a vendor's Mac has one administrator, uid 501, who is in `admin`. */
const isIn = (user: User, gid: number): boolean => user.gid === gid || (gid === ADMIN && user.uid === 501);

const BITS = { read: 4, write: 2, search: 1 } as const;

type AccessRight = keyof typeof BITS;

/**
 * The first matching class decides, as in Unix: an owner without the bit is refused even if all other users have it.
 */
export function mayDo(user: User, inode: Inode, right: AccessRight): boolean {
  if (user.uid === 0) return true;
  if (user.uid === inode.uid) return (inode.mode & (BITS[right] << 6)) !== 0;
  if (isIn(user, inode.gid)) return (inode.mode & (BITS[right] << 3)) !== 0;
  return (inode.mode & BITS[right]) !== 0;
}

const STICKY = 0o1000;

/**
 * Returns true if the user may remove a name from a directory. In a sticky directory (/tmp), only the owner of either
 * may.
 */
export function mayUnlink(user: User, directory: DirectoryInode, inode: Inode): boolean {
  if (user.uid === 0) return true;
  if (!mayDo(user, directory, 'write') || !mayDo(user, directory, 'search')) return false;
  return (directory.mode & STICKY) === 0 || user.uid === inode.uid || user.uid === directory.uid;
}

/** Inodes, disk space and change listeners below the names. */
export interface InodeStore {
  readonly root: DirectoryInode;
  readonly space: { readonly free: number; readonly total: number };
  now(): number;
  file(as: User, mode: number, within: DirectoryInode): FileInode;
  directory(as: User, mode: number, within: DirectoryInode): DirectoryInode;
  link(as: User, target: string): LinkInode;
  take(bytes: number, path: string): void;
  give(bytes: number): void;
  /** The part of a write that reaches the disk when a fault is injected. */
  arriving(path: string, bytes: Buffer): Buffer;
  /** Throws if fewer bytes arrived than were written. */
  complain(path: string, written: Buffer, arrived: Buffer): void;
  unlinked(inode: Inode): void;
  released(file: FileInode): void;
  changed(path: string): void;
  watch(listener: (path: string) => void): () => void;
}

export function createDisk({ totalBytes, now, beforeWrite }: FileSystemOptions): InodeStore {
  const listeners = new Set<(path: string) => void>();
  let used = 0;
  // APFS assigns inode numbers in ascending order and never reuses them.
  let lastInode = 12_884_901_887;
  const attributes = (as: User, mode: number, gid: number) => ({
    inode: ++lastInode,
    mode: mode & 0o7777,
    uid: as.uid,
    gid,
    modified: now(),
  });
  const give = (bytes: number): void => {
    used -= bytes;
  };
  const forget = (file: FileInode): void => {
    if (file.names === 0 && file.held === 0) give(file.content.size);
  };
  return {
    root: {
      ...attributes({ name: 'root', uid: 0, gid: 0, group: 'wheel', home: '/' }, 0o755, 0),
      type: 'directory',
      children: new Map(),
    },
    get space() {
      return { free: totalBytes - used, total: totalBytes };
    },
    now,
    // BSD: a new file gets the group of its directory, not of its creator.
    file: (as, mode, within) => ({
      ...attributes(as, mode, within.gid),
      type: 'file',
      content: new FileContent(),
      names: 1,
      held: 0,
    }),
    directory: (as, mode, within) => ({ ...attributes(as, mode, within.gid), type: 'directory', children: new Map() }),
    link: (as, target) => ({ ...attributes(as, 0o755, as.gid), type: 'link', target }),
    take(bytes, path) {
      if (bytes > 0 && used + bytes > totalBytes) throw fileError('ENOSPC', path);
      used += bytes;
    },
    give,
    arriving: (path, bytes) => (beforeWrite ? bytes.subarray(0, beforeWrite(path, bytes.length)) : bytes),
    complain(path, written, arrived) {
      if (arrived.length < written.length) throw fileError('EIO', path);
    },
    unlinked(inode) {
      if (inode.type !== 'file') return;
      inode.names -= 1;
      forget(inode);
    },
    released(file) {
      file.held -= 1;
      file.content.settle();
      forget(file);
    },
    changed: path => {
      for (const listener of [...listeners]) listener(path);
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
