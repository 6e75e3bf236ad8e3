import type { User } from '../mac.ts';
import { share } from './content.ts';
import { fileError } from './file-system.ts';
import { type DirectoryInode, type FileInode, type Inode, type InodeStore, mayDo } from './inodes.ts';

/** Resolved path: the directory that contains the last name, and the inode there, if any. */
export interface ResolvedPath {
  readonly directory: DirectoryInode;
  /** Empty for the root itself. */
  readonly name: string;
  readonly inode: Inode | undefined;
  /** Links are resolved except for the last name. */
  readonly path: string;
}

interface PathSegment {
  readonly name: string;
  readonly directory: DirectoryInode;
}

const MOST_LINKS = 32;

/** Resolves a path like the kernel: every directory on the path must be searchable, and links are followed in order. */
export function walk(root: DirectoryInode, as: User, path: string, followLast: boolean): ResolvedPath {
  if (path === '') throw fileError('ENOENT', path);
  const way = new PathWalk(root, as, path);
  for (let name = way.next(); name !== undefined; name = way.next()) {
    if (name === '..') {
      way.up();
      continue;
    }
    const inode = way.look(name);
    const last = way.atEnd;
    if (inode?.type === 'link' && (!last || followLast || path.endsWith('/'))) way.follow(inode.target);
    else if (last) return way.place(name, inode);
    else way.down(name, enter(inode, path));
  }
  return way.here();
}

/** State of a path resolution. */
class PathWalk {
  readonly #root: DirectoryInode;
  readonly #as: User;
  readonly #path: string;
  readonly #todo: string[];
  readonly #steps: PathSegment[] = [];
  #links = 0;

  constructor(root: DirectoryInode, as: User, path: string) {
    this.#root = root;
    this.#as = as;
    this.#path = path;
    this.#todo = namesOf(path).reverse();
  }

  get atEnd(): boolean {
    return this.#todo.length === 0;
  }

  next(): string | undefined {
    return this.#todo.pop();
  }

  up(): void {
    this.#steps.pop();
  }

  down(name: string, directory: DirectoryInode): void {
    this.#steps.push({ name, directory });
  }

  look(name: string): Inode | undefined {
    if (!mayDo(this.#as, this.#directory, 'search')) throw fileError('EACCES', this.#path);
    return this.#directory.children.get(name);
  }

  follow(target: string): void {
    this.#links += 1;
    if (this.#links > MOST_LINKS) throw fileError('ELOOP', this.#path);
    if (target.startsWith('/')) this.#steps.length = 0;
    this.#todo.push(...namesOf(target).reverse());
  }

  place(name: string, inode: Inode | undefined): ResolvedPath {
    if (this.#path.endsWith('/') && inode?.type === 'file') throw fileError('ENOTDIR', this.#path);
    const names = [...this.#steps.map(step => step.name), name];
    return { directory: this.#directory, name, inode, path: `/${names.join('/')}` };
  }

  /** The path ended in a directory through `..`, `.` or a link to the root. */
  here(): ResolvedPath {
    const last = this.#steps.pop();
    return last
      ? this.place(last.name, last.directory)
      : { directory: this.#root, name: '', inode: this.#root, path: '/' };
  }

  get #directory(): DirectoryInode {
    return this.#steps.at(-1)?.directory ?? this.#root;
  }
}

function enter(inode: Inode | undefined, path: string): DirectoryInode {
  if (!inode) throw fileError('ENOENT', path);
  if (inode.type !== 'directory') throw fileError('ENOTDIR', path);
  return inode;
}

const namesOf = (path: string): string[] => path.split('/').filter(name => name !== '' && name !== '.');

/** The usual spelling: /etc, /var and /tmp are links into /private, and users omit /private. */
export const asWritten = (path: string): string => path.replace(/^\/private(?=\/(etc|var|tmp)(\/|$))/, '');

export function changeMode(as: User, inode: Inode, change: { readonly path: string; readonly mode: number }): void {
  if (as.uid !== 0 && as.uid !== inode.uid) throw fileError('EPERM', change.path);
  inode.mode = change.mode & 0o7777;
}

interface NewOwner {
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
}

/** Only root can change the owner. An owner may change the group to one of their own groups. */
export function changeOwner(as: User, inode: Inode, { path, uid, gid }: NewOwner): void {
  const unchanged = uid === inode.uid && (gid === inode.gid || gid === as.gid);
  if (as.uid !== 0 && !(as.uid === inode.uid && unchanged)) throw fileError('EPERM', path);
  inode.uid = uid;
  inode.gid = gid;
}

interface WriteTarget {
  readonly file: FileInode;
  readonly path: string;
}

/** Truncates in place: the inode stays, and a write that fails half-way has already destroyed the old content. */
export function replaceIn(disk: InodeStore, { file, path }: WriteTarget, bytes: Buffer): void {
  disk.give(file.content.size);
  file.content.replace(Buffer.alloc(0));
  const arriving = disk.arriving(path, bytes);
  disk.take(arriving.length, path);
  file.content.replace(share(arriving));
  file.modified = disk.now();
  disk.complain(path, bytes, arriving);
}

export function appendTo(disk: InodeStore, { file, path }: WriteTarget, bytes: Buffer): void {
  const arriving = disk.arriving(path, bytes);
  disk.take(arriving.length, path);
  file.content.append(arriving);
  file.modified = disk.now();
  disk.complain(path, bytes, arriving);
}

export function overwriteIn(
  disk: InodeStore,
  { file, path, offset }: WriteTarget & { readonly offset: number },
  bytes: Buffer,
): void {
  const arriving = disk.arriving(path, bytes);
  disk.take(Math.max(0, offset + arriving.length - file.content.size), path);
  file.content.overwrite(offset, arriving);
  file.modified = disk.now();
  disk.complain(path, bytes, arriving);
}

/**
 * The sealed system volume is read-only even for root. These folders are on the data volume (firmlinks). Derived:
 * /usr/share/firmlinks of macOS.
 */
const WRITABLE = /^\/(Users|Applications|Library|private|opt|Volumes|cores|usr\/local|System\/Volumes\/Data)(\/|$)/;

export const isSealed = (path: string): boolean => !WRITABLE.test(path);
