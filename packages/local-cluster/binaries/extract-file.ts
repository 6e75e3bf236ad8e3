/** Takes one file out of a release archive with the system's tar. */
import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export type ExtractOptions = { archive: Uint8Array; member: string; to: string };

export async function extractFile({ archive, member, to }: ExtractOptions): Promise<void> {
  // Beside the target, so that the last step is a rename on one file system.
  const directory = await mkdtemp(`${to}.`);
  try {
    const file = path.join(directory, 'archive');
    await writeFile(file, archive);
    await promisify(execFile)('tar', ['-xf', file, '-C', directory, member]);
    await rename(path.join(directory, member), to);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
