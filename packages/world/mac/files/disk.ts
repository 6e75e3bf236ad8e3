import type { User } from '../user.ts';
import { Content } from './content.ts';
import type { FileSystemOptions } from './create-file-system.ts';
import { fileError } from './file-error.ts';
import type { DirectoryInode, FileInode, Inode, LinkInode } from './inode.ts';

/** The bookkeeping under the names: inodes, space, and who wants to hear of changes. */
export interface Disk {
  readonly root: DirectoryInode;
  readonly space: { readonly free: number; readonly total: number };
  now(): number;
  file(as: User, mode: number, within: DirectoryInode): FileInode;
  directory(as: User, mode: number, within: DirectoryInode): DirectoryInode;
  link(as: User, target: string): LinkInode;
  take(bytes: number, path: string): void;
  give(bytes: number): void;
  /** What of a write gets to the disk when something goes wrong with it. */
  arriving(path: string, bytes: Buffer): Buffer;
  /** Throws when less arrived than was written. */
  complain(path: string, written: Buffer, arrived: Buffer): void;
  unlinked(inode: Inode): void;
  released(file: FileInode): void;
  changed(path: string): void;
  watch(listener: (path: string) => void): () => void;
}

export function createDisk({ totalBytes, now, beforeWrite }: FileSystemOptions): Disk {
  const listeners = new Set<(path: string) => void>();
  let used = 0;
  // APFS numbers files upward and never again: a new inode is always a higher one.
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
    // BSD: what is new gets the group of its directory, not of its maker.
    file: (as, mode, within) => ({
      ...attributes(as, mode, within.gid),
      type: 'file',
      content: new Content(),
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
