import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** macOS allows 104 bytes with the closing NUL, Linux 108. */
const MOST_BYTES = 103;

/**
 * Calls back with a path of the socket that the kernel takes, and tidies up when that is done: a long one is reached
 * through a link in /tmp. Changing the directory instead would change it for everything else in this process.
 */
export async function withShortPath<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MOST_BYTES) return use(path);
  const directory = mkdtempSync('/tmp/tk-');
  try {
    const link = join(directory, 'd');
    symlinkSync(dirname(path), link);
    return await use(join(link, basename(path)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
