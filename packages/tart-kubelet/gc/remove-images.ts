import type { Clock } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube';
import type { Guest } from '../guests/guest.ts';
import type { TartCli, TartImage } from '../guests/tart.ts';
import type { VolumeSpace } from '../images/disk-account.ts';
import type { ImageLedger } from '../images/image-ledger.ts';
import { isDigest, parseImageName } from '../images/image-name.ts';
import {
  type GoldenImages,
  type ImageRetention,
  type ReclaimReason,
  type RemovableImage,
  removableImages,
  shouldRemove,
} from './image-retention.ts';

interface RemoveImagesOptions {
  readonly tart: Pick<TartCli, 'digestOf' | 'delete'>;
  readonly ledger: ImageLedger;
  readonly golden: () => GoldenImages;
  readonly retention: ImageRetention;
  readonly disk: () => Promise<VolumeSpace>;
  readonly clock: Clock;
  readonly log: Log;
}

interface ImageCollection {
  readonly reason: ReclaimReason;
  readonly images: readonly TartImage[];
  readonly pods: readonly { readonly images: readonly string[] }[];
  readonly guests: readonly Guest[];
  /** Disk space before anything was removed. */
  readonly before: VolumeSpace;
}

/** Removes images one at a time, measuring after each, until there is enough space; returns their digests. */
export async function removeImages(options: RemoveImagesOptions, collection: ImageCollection): Promise<string[]> {
  const { ledger, clock, retention, disk } = options;
  const needed = neededImages(collection);
  const tagsOf = await tagsByDigest(options, collection.images);
  for (const { name } of collection.images) {
    if ([name, ...(tagsOf.get(name) ?? [])].some(each => needed.has(each))) ledger.used(name);
  }
  const inventory = { images: collection.images, tagsOf, owned: ledger.owned(), needed, golden: options.golden() };
  const removed: string[] = [];
  for (const image of removableImages(inventory, clock.now())) {
    const pressure = { reason: collection.reason, before: collection.before, now: await disk() };
    // Checked again right before the removal: a Pod may have requested the image since.
    const unusedFor = clock.now() - (ledger.owned().get(image.name) ?? clock.now());
    if (!shouldRemove({ ...image, unusedFor }, pressure, retention)) continue;
    if (await removeOne(options, image)) removed.push(image.name);
  }
  await ledger.save();
  return removed;
}

async function removeOne({ tart, ledger, log }: RemoveImagesOptions, { name }: RemovableImage): Promise<boolean> {
  try {
    await tart.delete(name);
    await ledger.forget(name);
    return true;
  } catch (error) {
    log.warn({ ...errorFields(error), image: name }, 'Unused image could not be removed; retrying');
    return false;
  }
}

/** Names used by Pods, and digests from which guests were cloned: a tag may have moved since. */
function neededImages({ pods, guests }: ImageCollection): ReadonlySet<string> {
  return new Set([
    ...pods.flatMap(({ images }) => images.flatMap(referenceOf)),
    ...guests.map(({ spec }) => spec.image),
  ]);
}

function referenceOf(image: string): string[] {
  try {
    return [parseImageName(image).reference];
  } catch {
    // The Pod's status reports the invalid name; here it refers to no image.
    return [];
  }
}

async function tagsByDigest(
  { tart }: RemoveImagesOptions,
  images: readonly TartImage[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const tags = images.map(({ name }) => name).filter(name => !isDigest(name));
  const pairs = await Promise.all(tags.map(async tag => ({ tag, digest: await tart.digestOf(tag) })));
  const named = Map.groupBy(pairs, ({ digest }) => digest ?? '');
  return new Map([...named].map(([digest, some]) => [digest, some.map(({ tag }) => tag)]));
}
