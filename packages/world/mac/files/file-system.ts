import type { User } from '../user.ts';

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

/** Thrown as a Unix error is: `code` is ENOENT, EACCES, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, ENOSPC, EINVAL, ELOOP. */
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
  stat(as: User, path: string, options?: { readonly followLinks?: boolean }): Stat;
  exists(as: User, path: string): boolean;
  list(as: User, path: string): string[];
  makeDirectory(as: User, path: string, options?: { readonly mode?: number; readonly parents?: boolean }): void;
  remove(as: User, path: string, options?: { readonly recursive?: boolean }): void;
  rename(as: User, from: string, to: string): void;
  link(as: User, target: string, path: string): void;
  readLink(as: User, path: string): string;
  chmod(as: User, path: string, mode: number): void;
  chown(as: User, path: string, uid: number, gid: number): void;
  /** Bytes free on the disk, and how large it is: a write beyond is ENOSPC. */
  readonly space: { readonly free: number; readonly total: number };
  /** Takes or gives back space for what is not a file here (an image, a log of the system). */
  reserve(bytes: number): void;
  /** Calls back after a file was written, renamed onto, or removed. */
  watch(listener: (path: string) => void): () => void;
}
