import type { User } from '../user.ts';
import type { Content } from './content.ts';

interface Attributes {
  readonly inode: number;
  mode: number;
  uid: number;
  gid: number;
  modified: number;
}

export interface FileInode extends Attributes {
  readonly type: 'file';
  readonly content: Content;
  /** Names in directories: 0 after it was removed. */
  names: number;
  /** How often it is held open. */
  held: number;
}

export interface DirectoryInode extends Attributes {
  readonly type: 'directory';
  readonly children: Map<string, Inode>;
}

export interface LinkInode extends Attributes {
  readonly type: 'link';
  readonly target: string;
}

export type Inode = FileInode | DirectoryInode | LinkInode;

const ADMIN = 80;

/** Groups besides the user's own: a vendor's Mac has one administrator, uid 501, who is in `admin`. */
const isIn = (user: User, gid: number): boolean => user.gid === gid || (gid === ADMIN && user.uid === 501);

const BITS = { read: 4, write: 2, search: 1 } as const;

export type Right = keyof typeof BITS;

/** The first class that fits decides, as in Unix: an owner without the bit is refused even if everyone else has it. */
export function mayDo(user: User, inode: Inode, right: Right): boolean {
  if (user.uid === 0) return true;
  if (user.uid === inode.uid) return (inode.mode & (BITS[right] << 6)) !== 0;
  if (isIn(user, inode.gid)) return (inode.mode & (BITS[right] << 3)) !== 0;
  return (inode.mode & BITS[right]) !== 0;
}

const STICKY = 0o1000;

/** Whether a user may take a name out of a directory: in a sticky one (/tmp) only the owner of either. */
export function mayUnlink(user: User, directory: DirectoryInode, inode: Inode): boolean {
  if (user.uid === 0) return true;
  if (!mayDo(user, directory, 'write') || !mayDo(user, directory, 'search')) return false;
  return (directory.mode & STICKY) === 0 || user.uid === inode.uid || user.uid === directory.uid;
}
