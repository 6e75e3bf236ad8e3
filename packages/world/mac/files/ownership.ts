import type { User } from '../user.ts';
import { fileError } from './file-error.ts';
import type { Inode } from './inode.ts';

export function changeMode(as: User, inode: Inode, change: { readonly path: string; readonly mode: number }): void {
  if (as.uid !== 0 && as.uid !== inode.uid) throw fileError('EPERM', change.path);
  inode.mode = change.mode & 0o7777;
}

interface NewOwner {
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
}

/** Only root gives files away; an owner may change the group to one of their own. */
export function changeOwner(as: User, inode: Inode, { path, uid, gid }: NewOwner): void {
  const unchanged = uid === inode.uid && (gid === inode.gid || gid === as.gid);
  if (as.uid !== 0 && !(as.uid === inode.uid && unchanged)) throw fileError('EPERM', path);
  inode.uid = uid;
  inode.gid = gid;
}
