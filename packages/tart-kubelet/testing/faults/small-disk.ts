import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GuestProcess } from '../../guests/guest.ts';

/** Real file system of one megabyte that a test can fill to its last page and empty again. */
export interface SmallDisk {
  readonly directory: string;
  /** Fills the disk except for `pagesLeft` pages (default: 0). A write that needs more pages fails with ENOSPC. */
  fill(pagesLeft?: number): void;
  makeRoom(): void;
}

const PAGE = 4_096;
const DISK = 256 * PAGE;

export function mountSmallDisk(context: { after(clean: () => void): void }): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', directory], { stdio: 'pipe' });
  } catch (error) {
    throw new Error('tmpfs: mount failed; run this test on Linux as root', { cause: error });
  }
  context.after(() => {
    // Lazy unmount: processes that still use it are stopped by other cleanup functions.
    execFileSync('umount', ['--lazy', directory]);
    rmSync(directory, { recursive: true, force: true });
  });
  const filler = join(directory, 'filler');
  return {
    directory,
    fill(pagesLeft = 0) {
      const file = openSync(filler, 'w');
      const size = writeUntilFull(file);
      ftruncateSync(file, size - pagesLeft * PAGE);
      closeSync(file);
    },
    makeRoom: () => rmSync(filler),
  };
}

function writeUntilFull(file: number): number {
  const page = Buffer.alloc(PAGE, 'x');
  for (let size = 0; ; size += PAGE) {
    try {
      writeSync(file, page);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return size;
      throw error;
    }
  }
}

/** Makes the process of a guest run a shell script. */
export const processOf = (script: string): GuestProcess => ({
  argv: ['/bin/sh', '-c', script],
  environmentFile: undefined,
  workingDirectory: undefined,
});
