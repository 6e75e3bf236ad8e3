import { statfs } from 'node:fs/promises';
import type { TartImage, TartVm } from '../guests/tart.ts';
import { isDigest } from './image-name.ts';

/** The volume that holds images and guests. */
export interface DiskSpace {
  readonly totalBytes: number;
  /** What we may still write. */
  readonly freeBytes: number;
}

/** Asks the file system; cheap. */
export async function readDiskSpace(path: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(path);
  return { totalBytes: bsize * blocks, freeBytes: bsize * bavail };
}

export const usedPercent = ({ totalBytes, freeBytes }: DiskSpace): number =>
  totalBytes === 0 ? 0 : Math.round((1 - freeBytes / totalBytes) * 1_000) / 10;

/** Who takes the space, for stats and metrics. Clones share blocks with their image, so parts may add up to more than the whole. */
export interface DiskAccount extends DiskSpace {
  readonly imageBytes: number;
  /** Of those, what this agent brought here. */
  readonly ownImageBytes: number;
  readonly images: number;
  readonly vms: number;
}

export interface DiskSeen {
  readonly space: DiskSpace;
  readonly images: readonly TartImage[];
  readonly vms: readonly TartVm[];
  readonly owned: ReadonlyMap<string, number>;
}

/** A tag is only another name: each content is counted once. */
export function accountDisk({ space, images, vms, owned }: DiskSeen): DiskAccount {
  const contents = images.filter(({ name }) => isDigest(name));
  const sum = (some: readonly TartImage[]): number => some.reduce((total, { bytes }) => total + bytes, 0);
  return {
    ...space,
    imageBytes: sum(contents),
    ownImageBytes: sum(contents.filter(({ name }) => owned.has(name))),
    images: contents.length,
    vms: vms.length,
  };
}
