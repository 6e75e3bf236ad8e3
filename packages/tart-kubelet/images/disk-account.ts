import { statfs } from 'node:fs/promises';
import { parseGuestName } from '../guests/guest-name.ts';
import type { TartVm } from '../guests/tart.ts';
import type { ListedImage } from './list-images.ts';

/** The volume that holds images and guests. */
export interface VolumeSpace {
  readonly totalBytes: number;
  /** Space available to this user. */
  readonly freeBytes: number;
}

/**
 * Queries the file system; cheap. Uses `bavail` instead of `bfree`, because space reserved for root is not available.
 */
export async function readDiskSpace(path: string): Promise<VolumeSpace> {
  const { bsize, blocks, bavail } = await statfs(path);
  return { totalBytes: bsize * blocks, freeBytes: bsize * bavail };
}

export const usedPercent = ({ totalBytes, freeBytes }: VolumeSpace): number =>
  totalBytes === 0 ? 0 : Math.round((1 - freeBytes / totalBytes) * 1_000) / 10;

/**
 * Disk usage by owner, for conditions, metrics and stats. Clones share blocks with their image, so the parts may exceed
 * the whole.
 */
export interface DiskAccount extends VolumeSpace {
  readonly imageBytes: number;
  /** Images pulled by this agent. */
  readonly ownImageBytes: number;
  /** VMs that the agent owns. */
  readonly guestBytes: number;
  /** Other used space: macOS, foreign VMs, and what Tart has not reported yet. */
  readonly otherBytes: number;
  /** Minimum that pulls in progress will still use: Tart reports compressed sizes. */
  readonly promisedBytes: number;
}

interface DiskAccountInput {
  readonly space: VolumeSpace;
  readonly images: readonly ListedImage[];
  readonly vms: readonly TartVm[];
  /** Digests of images pulled by this agent. */
  readonly owned: ReadonlyMap<string, unknown>;
  readonly promisedBytes: number;
}

export function accountDisk({ space, images, vms, owned, promisedBytes }: DiskAccountInput): DiskAccount {
  const imageBytes = sumOf(images.map(({ sizeBytes }) => sizeBytes));
  const own = images.filter(({ names }) => names.some(name => owned.has(name)));
  const guestBytes = sumOf(
    vms.filter(({ name, inherited }) => inherited || parseGuestName(name)).map(({ bytes }) => bytes),
  );
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
