import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';

const BLOCK = 512;

/**
 * Whether the files below a folder take more of the disk than this; ends as soon as it is certain. A guest may write there
 * what it likes: no link is followed, a file with several names counts once, and what cannot be looked at counts as nothing.
 */
export async function folderExceeds(folder: string, mostBytes: number): Promise<boolean> {
  const counted = new Set<bigint>();
  let bytes = 0;
  for await (const { ino, nlink, blocks } of everythingBelow(folder)) {
    if (counted.has(ino)) continue;
    if (nlink > 1n) counted.add(ino);
    bytes += Number(blocks) * BLOCK;
    if (bytes > mostBytes) return true;
  }
  return false;
}

async function* everythingBelow(folder: string): AsyncGenerator<BigIntStats> {
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for await (const entry of entriesOf(next)) {
      const found = await lstat(entry, { bigint: true }).catch(() => undefined);
      if (found?.isDirectory()) folders.push(entry);
      if (found) yield found;
    }
  }
}

/** One at a time: a folder may have more entries than memory should hold. */
async function* entriesOf(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder)) yield path.join(folder, name);
  } catch {
    // Not ours to read, or gone.
  }
}
