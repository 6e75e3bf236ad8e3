import { statfs } from 'node:fs/promises';
import { parseGuestName } from '../guests/guest-name.ts';
import type { TartVm } from '../guests/tart.ts';
import type { ListedImage } from './list-images.ts';

/** The volume that holds images and guests. */
export interface DiskSpace {
  readonly totalBytes: number;
  /** What we may still write. */
  readonly freeBytes: number;
}

/** Asks the file system; cheap. `bavail`, not `bfree`: what is kept for root is not ours to use. */
export async function readDiskSpace(path: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(path);
  return { totalBytes: bsize * blocks, freeBytes: bsize * bavail };
}

export const usedPercent = ({ totalBytes, freeBytes }: DiskSpace): number =>
  totalBytes === 0 ? 0 : Math.round((1 - freeBytes / totalBytes) * 1_000) / 10;

/** Who takes the space: for conditions, metrics and stats. Clones share blocks with their image, so parts may add up to more than the whole. */
export interface DiskAccount extends DiskSpace {
  readonly imageBytes: number;
  /** Of those, what this agent brought here. */
  readonly ownImageBytes: number;
  /** VMs of ours. */
  readonly guestBytes: number;
  /** The rest of what is taken: macOS, foreign VMs, and what Tart has not told of yet. */
  readonly otherBytes: number;
  /** What pulls under way will still take, at least: Tart tells it compressed. */
  readonly promisedBytes: number;
}

interface DiskSeen {
  readonly space: DiskSpace;
  readonly images: readonly ListedImage[];
  readonly vms: readonly TartVm[];
  /** Digests of images this agent brought here. */
  readonly owned: ReadonlyMap<string, unknown>;
  readonly promisedBytes: number;
}

export function accountDisk({ space, images, vms, owned, promisedBytes }: DiskSeen): DiskAccount {
  const imageBytes = sumOf(images.map(({ sizeBytes }) => sizeBytes));
  const own = images.filter(({ names }) => names.some(name => owned.has(name)));
  const guestBytes = sumOf(vms.filter(({ name }) => parseGuestName(name)).map(({ bytes }) => bytes));
  return {
    ...space,
    imageBytes,
    ownImageBytes: sumOf(own.map(({ sizeBytes }) => sizeBytes)),
    guestBytes,
    otherBytes: Math.max(0, space.totalBytes - space.freeBytes - imageBytes - guestBytes),
    promisedBytes,
  };
}

const sumOf = (bytes: readonly number[]): number => bytes.reduce((total, some) => total + some, 0);
