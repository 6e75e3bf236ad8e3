import { type Clock, createTtlCache, minutes } from '@minifleet/clock';
import type { TartCli, TartImage } from '../guests/tart.ts';
import { isDigest } from './image-name.ts';

/** One entry of Node.status.images. */
export interface ListedImage {
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

// Other processes may pull or remove images; the agent's own changes are known immediately.
const FRESH_FOR = minutes(5);

/** Images of this host for the Node status. Cached, because the status is sent often. */
interface ImageList {
  read(): Promise<readonly ListedImage[]>;
  /** Invalidates the cache after a pull or removal. */
  forget(): void;
}

export function createImageList(tart: Pick<TartCli, 'images' | 'digestOf'>, clock: Clock): ImageList {
  const list = createTtlCache<'images', readonly ListedImage[]>({
    clock,
    ttl: FRESH_FOR,
    load: () => listImages(tart),
  });
  return { read: () => list.get('images'), forget: () => list.delete('images') };
}

async function listImages(tart: Pick<TartCli, 'images' | 'digestOf'>): Promise<ListedImage[]> {
  const images = await tart.images();
  const tags = images.filter(({ name }) => !isDigest(name));
  const digests = await Promise.all(tags.map(async ({ name }) => [name, await tart.digestOf(name)] as const));
  return groupImages(images, new Map(digests));
}

/**
 * Tart lists an image once by digest and once per tag; merges them into one entry, digest first, largest image first.
 */
export function groupImages(
  images: readonly TartImage[],
  digestOfTag: ReadonlyMap<string, string | undefined>,
): ListedImage[] {
  const listed = images
    .filter(({ name }) => isDigest(name))
    .map(image => ({ image, tags: tagsOf(image, digestOfTag) }));
  return listed
    .map(({ image, tags }) => ({ names: [image.name, ...tags], sizeBytes: image.bytes }))
    .toSorted((one, other) => other.sizeBytes - one.sizeBytes || (one.names.join() < other.names.join() ? -1 : 1));
}

const tagsOf = ({ name }: TartImage, digestOfTag: ReadonlyMap<string, string | undefined>): string[] =>
  [...digestOfTag].filter(([, digest]) => digest === name).map(([tag]) => tag);
