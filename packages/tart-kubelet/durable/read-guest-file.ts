import { constants, type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

export interface GuestFile {
  /** The host's folder that the guest may write to; its own path is the host's choice. */
  readonly share: string;
  /** Directly in the share: below a folder of the guest's making, any part of the path could be a link. */
  readonly name: string;
  readonly mostBytes: number;
}

/**
 * Reads a file a guest may have made, as hostile as it likes: a link is not followed, a fifo does not block, a device or a
 * folder is not read, and no more than `mostBytes` from the start. Undefined when there is no such file.
 */
export async function readGuestFile({ share, name, mostBytes }: GuestFile): Promise<Buffer | undefined> {
  if (name.includes('/') || name.includes('\0') || name === '..' || name === '.') return undefined;
  const file = await openWithoutFollowing(join(share, name));
  if (!file) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const buffer = Buffer.alloc(mostBytes);
    let length = 0;
    // Not by its size: the guest may write while we read.
    while (length < mostBytes) {
      const { bytesRead } = await file.read(buffer, length, mostBytes - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Missing, a link (ELOOP), a socket (ENXIO), not ours to read: all of them no file. */
const NO_FILE = ['ENOENT', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM', 'ENOTDIR', 'EOPNOTSUPP'];

async function openWithoutFollowing(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (NO_FILE.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
