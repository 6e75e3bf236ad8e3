import type { Clock } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube';
import type { Guest } from '../guests/guest.ts';
import type { TartCli, TartImage } from '../guests/tart.ts';
import type { DiskSpace } from '../images/disk-account.ts';
import type { ImageLedger } from '../images/image-ledger.ts';
import { isDigest, parseImageName } from '../images/image-name.ts';
import {
  type Golden,
  type ImageRetention,
  type ReclaimReason,
  type Removable,
  removableImages,
  shouldRemove,
} from './image-retention.ts';

interface RemoveImagesOptions {
  readonly tart: Pick<TartCli, 'digestOf' | 'delete'>;
  readonly ledger: ImageLedger;
  readonly golden: () => Golden;
  readonly retention: ImageRetention;
  readonly disk: () => Promise<DiskSpace>;
  readonly clock: Clock;
  readonly log: Log;
}

interface ImageQuestion {
  readonly reason: ReclaimReason;
  readonly images: readonly TartImage[];
  readonly pods: readonly { readonly images: readonly string[] }[];
  readonly guests: readonly Guest[];
  /** Where the disk stood before anything was removed. */
  readonly before: DiskSpace;
}

/** Removes images one by one, measuring after each, until there is room; gives their digests. */
export async function removeImages(options: RemoveImagesOptions, question: ImageQuestion): Promise<string[]> {
  const { ledger, clock, retention, disk } = options;
  const needed = neededImages(question);
  const tagsOf = await tagsByDigest(options, question.images);
  for (const { name } of question.images) {
    if ([name, ...(tagsOf.get(name) ?? [])].some(each => needed.has(each))) ledger.used(name);
  }
  const seen = { images: question.images, tagsOf, owned: ledger.owned(), needed, golden: options.golden() };
  const gone: string[] = [];
  for (const image of removableImages(seen, clock.now())) {
    const pressure = { reason: question.reason, before: question.before, now: await disk() };
    // Asked again just before: a Pod may have come for it since.
    const unusedFor = clock.now() - (ledger.owned().get(image.name) ?? clock.now());
    if (!shouldRemove({ ...image, unusedFor }, pressure, retention)) continue;
    if (await removeOne(options, image)) gone.push(image.name);
  }
  await ledger.save();
  return gone;
}

async function removeOne({ tart, ledger, log }: RemoveImagesOptions, { name }: Removable): Promise<boolean> {
  try {
    await tart.delete(name);
    await ledger.forget(name);
    return true;
  } catch (error) {
    log.warn({ ...errorFields(error), image: name }, 'An image nobody needs could not be removed');
    return false;
  }
}

/** Names as Pods give them, and the digests guests were cloned from: a tag may have moved on since. */
function neededImages({ pods, guests }: ImageQuestion): ReadonlySet<string> {
  return new Set([
    ...pods.flatMap(({ images }) => images.flatMap(referenceOf)),
    ...guests.map(({ spec }) => spec.image),
  ]);
}

function referenceOf(image: string): string[] {
  try {
    return [parseImageName(image).reference];
  } catch {
    // Its Pod is told so; here it names nothing that could be kept.
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
