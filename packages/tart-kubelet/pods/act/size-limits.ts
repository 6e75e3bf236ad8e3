import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import type { Quantity } from '@minifleet/api';
import { pause, seconds } from '@minifleet/clock';
import { type Pod, parseQuantity } from '@minifleet/kube';
import type { PodContext } from '../pod-context.ts';
import { podPaths } from '../pod-paths.ts';

/** Each measurement visits every file: a large build folder costs one to two seconds of disk time. */
const EVERY = seconds(30);

/**
 * Measures emptyDir volumes with a size limit until the signal aborts. As in kubelet, writes do not fail; a Pod above
 * the limit is evicted.
 */
export async function enforceSizeLimits(context: PodContext, signal: AbortSignal): Promise<void> {
  const { state, deps } = context;
  const limited = state.pod ? limitsOf(state.pod) : [];
  while (limited.length > 0 && !signal.aborted) {
    await pause(deps.clock, EVERY, signal);
    for (const { name, limit } of limited) {
      const folder = path.join(podPaths(deps.directories.state, state.uid).volumes, name);
      if (signal.aborted || !(await folderExceeds(folder, parseQuantity(limit)))) continue;
      return evict(context, `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}".`);
    }
  }
}

interface EmptyDirLimit {
  readonly name: string;
  readonly limit: Quantity;
}

/** A limit of 0 means no limit. */
const limitsOf = ({ spec }: Pod): EmptyDirLimit[] =>
  (spec?.volumes ?? []).flatMap(({ name, emptyDir }) =>
    emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit) > 0
      ? [{ name, limit: emptyDir.sizeLimit }]
      : [],
  );

function evict(context: PodContext, message: string): void {
  const { state } = context;
  if (state.failure) return;
  state.failure = { reason: 'Evicted', message };
  context.emit('Warning', 'Evicted', message);
  context.wake();
}

const BLOCK = 512;

/**
 * Checks whether the files below a folder use more disk space than this; returns as soon as the limit is exceeded. The
 * guest controls the content, so links are not followed, a file with several names counts once, and unreadable entries
 * count as 0.
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

/** Streams entries one at a time: a folder may have more than fit into memory. */
async function* entriesOf(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder)) yield path.join(folder, name);
  } catch {
    // Unreadable or removed meanwhile.
  }
}
