import { share } from './content.ts';
import type { Disk } from './disk.ts';
import type { FileInode } from './inode.ts';

interface Target {
  readonly file: FileInode;
  readonly path: string;
}

/** Truncates in place: the inode stays, and a write that fails half-way has already cost the old content. */
export function replaceIn(disk: Disk, { file, path }: Target, bytes: Buffer): void {
  disk.give(file.content.size);
  file.content.replace(Buffer.alloc(0));
  const arriving = disk.arriving(path, bytes);
  disk.take(arriving.length, path);
  file.content.replace(share(arriving));
  file.modified = disk.now();
  disk.complain(path, bytes, arriving);
}

export function appendTo(disk: Disk, { file, path }: Target, bytes: Buffer): void {
  const arriving = disk.arriving(path, bytes);
  disk.take(arriving.length, path);
  file.content.append(arriving);
  file.modified = disk.now();
  disk.complain(path, bytes, arriving);
}

export function overwriteIn(
  disk: Disk,
  { file, path, offset }: Target & { readonly offset: number },
  bytes: Buffer,
): void {
  const arriving = disk.arriving(path, bytes);
  disk.take(Math.max(0, offset + arriving.length - file.content.size), path);
  file.content.overwrite(offset, arriving);
  file.modified = disk.now();
  disk.complain(path, bytes, arriving);
}

/**
 * The sealed system volume cannot be written, not even by root; these folders are on the data volume (firmlinks).
 * Derived: /usr/share/firmlinks of macOS.
 */
const WRITABLE = /^\/(Users|Applications|Library|private|opt|Volumes|cores|usr\/local|System\/Volumes\/Data)(\/|$)/;

export const isSealed = (path: string): boolean => !WRITABLE.test(path);
