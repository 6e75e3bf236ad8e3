import type { User } from '../mac.ts';
import { type FileSystem, fileError, type OpenFile, type Stat } from './file-system.ts';
import {
  createDisk,
  type DirectoryInode,
  type FileInode,
  type Inode,
  type InodeStore,
  mayDo,
  mayUnlink,
} from './inodes.ts';

import {
  appendTo,
  asWritten,
  changeMode,
  changeOwner,
  isSealed,
  overwriteIn,
  type ResolvedPath,
  replaceIn,
  walk,
} from './resolve-path.ts';

export interface FileSystemOptions {
  readonly totalBytes: number;
  readonly now: () => number;
  /** Called before each write. Throws the injected error, or returns how many of the bytes reach the disk. */
  readonly beforeWrite?: (path: string, bytes: number) => number;
}

/**
 * File system with a seal: system folders are writable while an image is laid out, afterwards only where macOS allows
 * it.
 */
interface SealableFileSystem extends FileSystem {
  seal(): void;
}

export function createFileSystem(options: FileSystemOptions): SealableFileSystem {
  return new InMemoryFiles(createDisk(options));
}

class InMemoryFiles implements SealableFileSystem {
  readonly #disk: InodeStore;
  #sealed = false;

  constructor(disk: InodeStore) {
    this.#disk = disk;
  }

  seal(): void {
    this.#sealed = true;
  }

  get space(): { readonly free: number; readonly total: number } {
    return this.#disk.space;
  }

  reserve(bytes: number): void {
    this.#disk.take(bytes, '');
  }

  watch(listener: (path: string) => void): () => void {
    return this.#disk.watch(listener);
  }

  read(as: User, path: string): Buffer {
    return this.#file(as, path, 'read').content.bytes();
  }

  write(
    as: User,
    path: string,
    content: Buffer | string,
    options: { readonly mode?: number; readonly append?: boolean } = {},
  ): void {
    if (this.#sealed && path === '/dev/null') return;
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const place = this.#placeToWrite(as, path);
    const file = this.#fileToWrite(as, place, options.mode);
    const written = asWritten(place.path);
    if (options.append) appendTo(this.#disk, { file, path: written }, bytes);
    else replaceIn(this.#disk, { file, path: written }, bytes);
    this.#disk.changed(written);
  }

  open(
    as: User,
    path: string,
    options: { readonly for: 'reading' | 'writing' | 'appending' | 'updating'; readonly mode?: number },
  ): OpenFile {
    if (path === '/dev/null') return nothing;
    if (options.for === 'reading') return this.#hold(this.#file(as, path, 'read'), path);
    const place = this.#placeToWrite(as, path);
    const file = this.#fileToWrite(as, place, options.mode);
    const written = asWritten(place.path);
    if (options.for === 'writing') replaceIn(this.#disk, { file, path: written }, Buffer.alloc(0));
    this.#disk.changed(written);
    return this.#hold(file, written);
  }

  stat(as: User, path: string, options: { readonly followLinks?: boolean } = {}): Stat {
    const inode = this.#inode(as, path, options.followLinks ?? true);
    const { inode: number, type, mode, uid, gid, modified } = inode;
    return { type, inode: number, mode, uid, gid, modified, size: sizeOf(inode) };
  }

  exists(as: User, path: string): boolean {
    try {
      return walk(this.#disk.root, as, path, true).inode !== undefined;
    } catch {
      return false;
    }
  }

  realPath(as: User, path: string): string {
    const place = walk(this.#disk.root, as, path, true);
    if (!place.inode) throw fileError('ENOENT', path);
    return place.path;
  }

  list(as: User, path: string): string[] {
    const inode = this.#inode(as, path, true);
    if (inode.type !== 'directory') throw fileError('ENOTDIR', path);
    if (!mayDo(as, inode, 'read')) throw fileError('EACCES', path);
    return [...inode.children.keys()].sort();
  }

  makeDirectory(as: User, path: string, options: { readonly mode?: number; readonly parents?: boolean } = {}): void {
    if (options.parents) this.#makeParents(as, path);
    const place = walk(this.#disk.root, as, path, true);
    if (place.inode) {
      if (options.parents && place.inode.type === 'directory') return;
      throw fileError('EEXIST', path);
    }
    this.#mayAdd(as, place, path);
    place.directory.children.set(place.name, this.#disk.directory(as, options.mode ?? 0o755, place.directory));
    this.#disk.changed(asWritten(place.path));
  }

  remove(as: User, path: string, options: { readonly recursive?: boolean } = {}): void {
    const place = walk(this.#disk.root, as, path, false);
    const { inode } = place;
    if (!inode || place.name === '') throw fileError(inode ? 'EBUSY' : 'ENOENT', path);
    if (inode.type === 'directory' && inode.children.size > 0) {
      if (!options.recursive) throw fileError('ENOTEMPTY', path);
      for (const name of [...inode.children.keys()]) this.remove(as, `${place.path}/${name}`, options);
    }
    this.#mayTake(as, place, path);
    place.directory.children.delete(place.name);
    this.#disk.unlinked(inode);
    this.#disk.changed(asWritten(place.path));
  }

  rename(as: User, from: string, to: string): void {
    const source = walk(this.#disk.root, as, from, false);
    const target = walk(this.#disk.root, as, to, false);
    if (!source.inode) throw fileError('ENOENT', from);
    if (source.inode === target.inode) return;
    this.#mayTake(as, source, from);
    if (target.inode) this.#mayReplace(as, { ...source, inode: source.inode }, target);
    else this.#mayAdd(as, target, to);
    if (`${target.path}/`.startsWith(`${source.path}/`)) throw fileError('EINVAL', to);
    // Both changes are one synchronous step: a reader finds either the old or the new file.
    source.directory.children.delete(source.name);
    target.directory.children.set(target.name, source.inode);
    if (target.inode) this.#disk.unlinked(target.inode);
    this.#disk.changed(asWritten(source.path));
    this.#disk.changed(asWritten(target.path));
  }

  link(as: User, target: string, path: string): void {
    const place = walk(this.#disk.root, as, path, false);
    if (place.inode) throw fileError('EEXIST', path);
    this.#mayAdd(as, place, path);
    place.directory.children.set(place.name, this.#disk.link(as, target));
    this.#disk.changed(asWritten(place.path));
  }

  readLink(as: User, path: string): string {
    const inode = this.#inode(as, path, false);
    if (inode.type !== 'link') throw fileError('EINVAL', path);
    return inode.target;
  }

  chmod(as: User, path: string, mode: number): void {
    changeMode(as, this.#inodeToChange(as, path), { path, mode });
    this.#disk.changed(asWritten(path));
  }

  chown(as: User, path: string, uid: number, gid: number): void {
    changeOwner(as, this.#inodeToChange(as, path), { path, uid, gid });
    this.#disk.changed(asWritten(path));
  }

  setModified(as: User, path: string, modified: number, options: { readonly followLinks?: boolean } = {}): void {
    const inode = this.#inodeToChange(as, path, options.followLinks);
    if (as.uid !== 0 && as.uid !== inode.uid && !mayDo(as, inode, 'write')) throw fileError('EACCES', path);
    inode.modified = modified;
  }

  #inode(as: User, path: string, followLast: boolean): Inode {
    const { inode } = walk(this.#disk.root, as, path, followLast);
    if (!inode) throw fileError('ENOENT', path);
    return inode;
  }

  #inodeToChange(as: User, path: string, followLast = true): Inode {
    const place = walk(this.#disk.root, as, path, followLast);
    if (!place.inode) throw fileError('ENOENT', path);
    if (this.#sealed && isSealed(place.path)) throw fileError('EROFS', path);
    return place.inode;
  }

  #file(as: User, path: string, right: 'read' | 'write'): FileInode {
    const inode = this.#inode(as, path, true);
    if (inode.type !== 'file') throw fileError('EISDIR', path);
    if (!mayDo(as, inode, right)) throw fileError('EACCES', path);
    return inode;
  }

  #placeToWrite(as: User, path: string): ResolvedPath {
    const place = walk(this.#disk.root, as, path, true);
    if (place.inode?.type === 'directory') throw fileError('EISDIR', path);
    if (!place.inode) this.#mayAdd(as, place, path);
    else if (!mayDo(as, place.inode, 'write')) throw fileError('EACCES', path);
    if (this.#sealed && isSealed(place.path)) throw fileError('EROFS', path);
    return place;
  }

  #fileToWrite(as: User, place: ResolvedPath, mode = 0o644): FileInode {
    if (place.inode?.type === 'file') return place.inode;
    const file = this.#disk.file(as, mode, place.directory);
    place.directory.children.set(place.name, file);
    return file;
  }

  #hold(file: FileInode, path: string): OpenFile {
    const disk = this.#disk;
    file.held += 1;
    let open = true;
    return {
      inode: file.inode,
      write: content => appendTo(disk, { file, path }, typeof content === 'string' ? Buffer.from(content) : content),
      readAt: (offset, length) => file.content.bytes().subarray(offset, offset + length),
      writeAt: (offset, content) => overwriteIn(disk, { file, path, offset }, content),
      close: () => {
        if (!open) return;
        open = false;
        disk.released(file);
        if (file.names > 0) disk.changed(path);
      },
    };
  }

  #makeParents(as: User, path: string): void {
    const names = path.split('/').slice(0, -1);
    for (let count = 2; count <= names.length; count++) {
      const parent = names.slice(0, count).join('/');
      if (!this.exists(as, parent)) this.makeDirectory(as, parent);
    }
  }

  #mayAdd(as: User, place: ResolvedPath, path: string): void {
    if (this.#sealed && isSealed(place.path)) throw fileError('EROFS', path);
    if (!mayDo(as, place.directory, 'write') || !mayDo(as, place.directory, 'search')) throw fileError('EACCES', path);
  }

  #mayTake(as: User, place: ResolvedPath, path: string): void {
    if (this.#sealed && isSealed(place.path)) throw fileError('EROFS', path);
    if (place.inode && !mayUnlink(as, place.directory, place.inode)) throw fileError('EACCES', path);
  }

  #mayReplace(as: User, source: ResolvedPath & { readonly inode: Inode }, target: ResolvedPath): void {
    this.#mayTake(as, target, target.path);
    const existing = target.inode;
    if (existing?.type === 'directory' && source.inode.type !== 'directory') throw fileError('EISDIR', target.path);
    if (existing?.type !== 'directory' && source.inode.type === 'directory') throw fileError('ENOTDIR', target.path);
    if (existing?.type === 'directory' && existing.children.size > 0) throw fileError('ENOTEMPTY', target.path);
  }
}

/** An open /dev/null. */
const nothing: OpenFile = {
  inode: 0,
  write: () => undefined,
  readAt: () => Buffer.alloc(0),
  writeAt: () => undefined,
  close: () => undefined,
};

const sizeOf = (inode: Inode): number => {
  if (inode.type === 'file') return inode.content.size;
  return inode.type === 'link' ? Buffer.byteLength(inode.target) : directorySize(inode);
};

/** APFS: 32 bytes for each entry, with `.` and `..`. */
const directorySize = (inode: DirectoryInode): number => (inode.children.size + 2) * 32;
