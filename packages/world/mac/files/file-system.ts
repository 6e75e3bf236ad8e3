import type { User } from '../mac.ts';

/** strerror(3) of macOS. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  EEXIST: 'File exists',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  ENOTEMPTY: 'Directory not empty',
  ENOSPC: 'No space left on device',
  EINVAL: 'Invalid argument',
  ELOOP: 'Too many levels of symbolic links',
  EIO: 'Input/output error',
};

export const fileError = (code: string, path: string): FileError =>
  new FileError(code, path, WORDS[code] ?? `Unknown error: ${code}`);

/** Returns the system's message for a file error. Rethrows any other error, which is a bug in the simulation. */
export function errorMessage(error: unknown): string {
  if (error instanceof FileError) return error.message;
  throw error;
}

export const isKnownError = (code: string): boolean => code in WORDS;

export interface Stat {
  readonly type: 'file' | 'directory' | 'link';
  readonly inode: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/**
 * A Unix file error. `code` is ENOENT, EACCES, EPERM, EROFS, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, ENOSPC, EINVAL, ELOOP
 * or EIO; the message is the system's message for it.
 */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: string;
  readonly path: string;

  constructor(code: string, path: string, message: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** An open file. Renaming or removing its name does not affect it, and its space is released only when it is closed. */
export interface OpenFile {
  readonly inode: number;
  write(content: Buffer | string): void;
  /** Up to `length` bytes at `offset`; empty at the end. */
  readAt(offset: number, length: number): Buffer;
  writeAt(offset: number, content: Buffer): void;
  close(): void;
}

/**
 * The files of one Mac. Every call names its user, and permissions are enforced. Writing to an existing file keeps its
 * inode; a rename onto it replaces the inode atomically. Code signing depends on this difference.
 */
export interface FileSystem {
  read(as: User, path: string): Buffer;
  /** Creates or truncates in place. `mode` applies only to a new file. */
  write(
    as: User,
    path: string,
    content: Buffer | string,
    options?: { readonly mode?: number; readonly append?: boolean },
  ): void;
  /** Creates or truncates like `write`, except for appending or updating. Every later write goes to the same inode. */
  open(
    as: User,
    path: string,
    options: { readonly for: 'reading' | 'writing' | 'appending' | 'updating'; readonly mode?: number },
  ): OpenFile;
  stat(as: User, path: string, options?: { readonly followLinks?: boolean }): Stat;
  exists(as: User, path: string): boolean;
  /** The path with links resolved: `/private/etc/hosts` for `/etc/hosts`. */
  realPath(as: User, path: string): string;
  list(as: User, path: string): string[];
  makeDirectory(as: User, path: string, options?: { readonly mode?: number; readonly parents?: boolean }): void;
  remove(as: User, path: string, options?: { readonly recursive?: boolean }): void;
  rename(as: User, from: string, to: string): void;
  link(as: User, target: string, path: string): void;
  readLink(as: User, path: string): string;
  chmod(as: User, path: string, mode: number): void;
  /** Sets the modification time, like `touch` and `tar`. With `followLinks` false, sets that of the link itself. */
  setModified(as: User, path: string, modified: number, options?: { readonly followLinks?: boolean }): void;
  chown(as: User, path: string, uid: number, gid: number): void;
  /** Free bytes and size of the disk. A write beyond fails with ENOSPC. */
  readonly space: { readonly free: number; readonly total: number };
  /** Allocates or releases space for data that is not a file here (an image, a system log). */
  reserve(bytes: number): void;
  /** Calls back after a file was written, replaced by a rename, or removed; with `/etc/…`, not `/private/etc/…`. */
  watch(listener: (path: string) => void): () => void;
}
