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

/** The system's words for what went wrong with a file; anything else is a fault of the simulation and thrown on. */
export function wordsOf(error: unknown): string {
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

/** Thrown as a Unix error is: `code` is ENOENT, EACCES, EPERM, EROFS, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, ENOSPC, EINVAL, ELOOP, EIO; the message is the system's own words for it. */
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

/** A file held open: it stays what it was when its name is renamed or removed, and its space is not free until it is closed. */
export interface OpenFile {
  readonly inode: number;
  write(content: Buffer | string): void;
  /** Up to `length` bytes at `offset`; empty at the end. */
  readAt(offset: number, length: number): Buffer;
  writeAt(offset: number, content: Buffer): void;
  close(): void;
}

/**
 * The files of one Mac. Every call says who asks: permissions are honoured. Writing into an existing file keeps its
 * inode; a rename onto it replaces the inode at once: the two are what code signing tells apart.
 */
export interface FileSystem {
  read(as: User, path: string): Buffer;
  /** Creates or truncates in place. `mode` only for a new file. */
  write(
    as: User,
    path: string,
    content: Buffer | string,
    options?: { readonly mode?: number; readonly append?: boolean },
  ): void;
  /** Creates or truncates as `write` does, unless for appending or updating; every write after that lands in the same inode. */
  open(
    as: User,
    path: string,
    options: { readonly for: 'reading' | 'writing' | 'appending' | 'updating'; readonly mode?: number },
  ): OpenFile;
  stat(as: User, path: string, options?: { readonly followLinks?: boolean }): Stat;
  exists(as: User, path: string): boolean;
  /** The path without links: `/private/etc/hosts` for `/etc/hosts`. */
  realPath(as: User, path: string): string;
  list(as: User, path: string): string[];
  makeDirectory(as: User, path: string, options?: { readonly mode?: number; readonly parents?: boolean }): void;
  remove(as: User, path: string, options?: { readonly recursive?: boolean }): void;
  rename(as: User, from: string, to: string): void;
  link(as: User, target: string, path: string): void;
  readLink(as: User, path: string): string;
  chmod(as: User, path: string, mode: number): void;
  /** Sets the time of the last change, as `touch` and `tar` do; with `followLinks` false that of a link itself. */
  setModified(as: User, path: string, modified: number, options?: { readonly followLinks?: boolean }): void;
  chown(as: User, path: string, uid: number, gid: number): void;
  /** Bytes free on the disk, and how large it is: a write beyond is ENOSPC. */
  readonly space: { readonly free: number; readonly total: number };
  /** Takes or gives back space for what is not a file here (an image, a log of the system). */
  reserve(bytes: number): void;
  /** Calls back after a file was written, renamed onto, or removed; with `/etc/…`, not `/private/etc/…`. */
  watch(listener: (path: string) => void): () => void;
}
