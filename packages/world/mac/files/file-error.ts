import { FileError } from './file-system.ts';

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
