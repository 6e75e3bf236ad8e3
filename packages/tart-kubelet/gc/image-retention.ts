import { createHash } from 'node:crypto';
import { type Duration, minutes } from '@minifleet/clock';
import type { TartImage } from '../guests/tart.ts';
import { type DiskSpace, usedPercent } from '../images/disk-account.ts';
import { isDigest, repositoryOf } from '../images/image-name.ts';

/** When images go. Percentages are of the whole volume in use, as a kubelet's imageGCHighThresholdPercent. */
export interface ImageRetention {
  readonly highPercent: number;
  readonly lowPercent: number;
  /** Never younger than this: its Pod may not have come into sight. */
  readonly minimumAge: Duration;
  /** Older than this it goes although there is room. */
  readonly maximumAge: Duration;
}

export const defaultRetention: ImageRetention = {
  highPercent: 85,
  lowPercent: 80,
  minimumAge: minutes(2),
  maximumAge: minutes(7 * 24 * 60),
};

/** What may never go: repositories, tags or digests by name, and what a label of the Node names. */
export interface Golden {
  readonly names: readonly string[];
  /** Keys of the Node's labels. */
  readonly labels: readonly string[];
}

/** `tuist.dev/golden-<16 hex>`: the key by which others ask for hosts that hold an image. The form is a contract. */
export const goldenLabel = (image: string): string =>
  `tuist.dev/golden-${createHash('sha256').update(image).digest('hex').slice(0, 16)}`;

export interface ImagesSeen {
  readonly images: readonly TartImage[];
  /** All names of each digest: its tags. */
  readonly tagsOf: ReadonlyMap<string, readonly string[]>;
  /** What this agent brought here, with the time of last use. */
  readonly owned: ReadonlyMap<string, number>;
  /** References and digests that Pods and guests name. */
  readonly needed: ReadonlySet<string>;
  readonly golden: Golden;
}

/** An image that may go, with how long nobody used it. */
export interface Removable extends TartImage {
  readonly unusedFor: number;
}

/** Those of ours that nobody needs and no list keeps, the longest unused first and of these the largest. */
export function removableImages({ images, tagsOf, owned, needed, golden }: ImagesSeen, now: number): Removable[] {
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

const isGolden = (name: string, { names, labels }: Golden): boolean =>
  names.includes(name) || names.includes(repositoryOf(name)) || labels.includes(goldenLabel(name));

export type ReclaimReason = 'interval' | 'no space';

/** Where the disk stood when the pass began, and stands now that some have gone. */
interface Pressure {
  readonly reason: ReclaimReason;
  readonly before: DiskSpace;
  readonly now: DiskSpace;
}

/** Whether the next one goes, too. A pull that found no room takes all it can get: nobody knows how much it needs. */
export function shouldRemove(image: Removable, pressure: Pressure, retention: ImageRetention): boolean {
  if (image.unusedFor < retention.minimumAge) return false;
  if (pressure.reason === 'no space' || image.unusedFor >= retention.maximumAge) return true;
  return usedPercent(pressure.before) >= retention.highPercent && usedPercent(pressure.now) > retention.lowPercent;
}
