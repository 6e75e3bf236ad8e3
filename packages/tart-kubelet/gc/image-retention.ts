import { createHash } from 'node:crypto';
import { type Duration, minutes } from '@minifleet/clock';
import type { TartImage } from '../guests/tart.ts';
import { usedPercent, type VolumeSpace } from '../images/disk-account.ts';
import { isDigest, repositoryOf } from '../images/image-name.ts';

/** Limits for the removal of images. Percentages are of the used volume, as in kubelet's imageGCHighThresholdPercent. */
export interface ImageRetention {
  readonly highPercent: number;
  readonly lowPercent: number;
  /** Younger images stay: their Pod may not have been observed yet. */
  readonly minimumAge: Duration;
  /** Unused images older than this are removed even if there is space. */
  readonly maximumAge: Duration;
}

export const defaultRetention: ImageRetention = {
  highPercent: 85,
  lowPercent: 80,
  minimumAge: minutes(2),
  maximumAge: minutes(7 * 24 * 60),
};

/** Images that are never removed: repositories, tags or digests by name, and those named by Node labels. */
export interface GoldenImages {
  readonly names: readonly string[];
  /** Keys of Node labels. */
  readonly labels: readonly string[];
}

/**
 * `tuist.dev/golden-<16 hex>`: the label key by which other systems select hosts that hold an image. Its form is a
 * contract.
 */
export const goldenLabel = (image: string): string =>
  `tuist.dev/golden-${createHash('sha256').update(image).digest('hex').slice(0, 16)}`;

export interface ImageInventory {
  readonly images: readonly TartImage[];
  /** Tags of each digest. */
  readonly tagsOf: ReadonlyMap<string, readonly string[]>;
  /** Images pulled by this agent, with the time of last use. */
  readonly owned: ReadonlyMap<string, number>;
  /** References and digests used by Pods and guests. */
  readonly needed: ReadonlySet<string>;
  readonly golden: GoldenImages;
}

/** An image that may be removed, with the time since its last use. */
export interface RemovableImage extends TartImage {
  readonly unusedFor: number;
}

/** Owned images that are neither used nor golden, longest unused first, then largest. */
export function removableImages(
  { images, tagsOf, owned, needed, golden }: ImageInventory,
  now: number,
): RemovableImage[] {
  const mayGo = (digest: string): boolean => {
    const names = [digest, ...(tagsOf.get(digest) ?? [])];
    return !names.some(name => needed.has(name) || isGolden(name, golden));
  };
  return images
    .flatMap(image => {
      const usedAt = isDigest(image.name) ? owned.get(image.name) : undefined;
      return usedAt !== undefined && mayGo(image.name) ? [{ ...image, unusedFor: now - usedAt }] : [];
    })
    .toSorted((one, other) => other.unusedFor - one.unusedFor || other.bytes - one.bytes);
}

const isGolden = (name: string, { names, labels }: GoldenImages): boolean =>
  names.includes(name) || names.includes(repositoryOf(name)) || labels.includes(goldenLabel(name));

export type ReclaimReason = 'interval' | 'no space';

/** Disk space before the collection and now. */
interface DiskPressure {
  readonly reason: ReclaimReason;
  readonly before: VolumeSpace;
  readonly now: VolumeSpace;
}

/**
 * Decides whether to remove the next image. A pull that ran out of space removes all candidates, because the required
 * space is unknown.
 */
export function shouldRemove(image: RemovableImage, pressure: DiskPressure, retention: ImageRetention): boolean {
  if (image.unusedFor < retention.minimumAge) return false;
  if (pressure.reason === 'no space' || image.unusedFor >= retention.maximumAge) return true;
  return usedPercent(pressure.before) >= retention.highPercent && usedPercent(pressure.now) > retention.lowPercent;
}
