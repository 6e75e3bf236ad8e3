import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import type { Quantity } from '@minifleet/api';
import { pause, seconds } from '@minifleet/clock';
import { type Pod, parseQuantity } from '@minifleet/kube';
import type { Work } from '../pod-context.ts';
import { podPlaces } from '../pod-paths.ts';

/** Every file is looked at each time: a large build folder costs a second or two of the disk. */
const EVERY = seconds(30);

/** Measures emptyDir volumes that have a limit until the signal aborts. As kubelet, a Pod beyond it is evicted: writes do not fail. */
export async function watchSizes(work: Work, signal: AbortSignal): Promise<void> {
  const { life, around } = work;
  const limited = life.pod ? limitsOf(life.pod) : [];
  while (limited.length > 0 && !signal.aborted) {
    await pause(around.clock, EVERY, signal);
    for (const { name, limit } of limited) {
      const folder = path.join(podPlaces(around.directories.state, life.uid).volumes, name);
      if (signal.aborted || !(await folderExceeds(folder, parseQuantity(limit)))) continue;
      return evict(work, `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}".`);
    }
  }
}

interface Limited {
  readonly name: string;
  readonly limit: Quantity;
}

/** A limit of nothing is none. */
const limitsOf = ({ spec }: Pod): Limited[] =>
  (spec?.volumes ?? []).flatMap(({ name, emptyDir }) =>
    emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit) > 0
      ? [{ name, limit: emptyDir.sizeLimit }]
      : [],
  );

function evict(work: Work, message: string): void {
  const { life } = work;
  if (life.ending) return;
  life.ending = { reason: 'Evicted', message };
  work.say('Warning', 'Evicted', message);
  work.wake();
}

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
