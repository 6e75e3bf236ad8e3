import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** macOS allows 104 bytes including the closing NUL, Linux 108. */
const MAX_PATH_BYTES = 103;

/**
 * Calls back with a socket path that is short enough for the kernel: a long one is reached through a temporary link in
 * /tmp. Changing the directory instead would affect the whole process.
 */
export async function withShortPath<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return use(path);
  const directory = mkdtempSync('/tmp/tk-');
  try {
    const link = join(directory, 'd');
    symlinkSync(dirname(path), link);
    return await use(join(link, basename(path)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
