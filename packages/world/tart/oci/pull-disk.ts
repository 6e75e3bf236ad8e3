import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, writeSync } from 'node:fs';
import { milliseconds, pause } from '@minifleet/clock';
import {
  type Descriptor,
  DISK_TYPE,
  type ImageManifest,
  layersOf,
  simulatedSize,
  UNCOMPRESSED_DIGEST,
  UNCOMPRESSED_SIZE,
} from '../../oci/image-content.ts';
import { GB, GIB } from '../host/host-file.ts';
import { ProgressPrinter } from '../output/progress.ts';
import type { Bundle } from '../storage/bundle.ts';
import { listImages, readManifestFile } from '../storage/image-cache.ts';
import type { NamedBundle } from '../storage/local-vms.ts';
import { foreignFailure } from '../tart-call.ts';
import { decodeAppleLz4 } from './apple-lz4.ts';
import { fetchBlob, type ImagePull } from './pull-image.ts';

/** Number of time steps per layer, each with a progress line. */
const STEPS = 10;

/** Layer by layer. A layer that is already on the disk, from an earlier attempt or a cached image, is not fetched. */
export async function pullDisk(pulling: ImagePull, bundle: Bundle): Promise<void> {
  const layers = layersOf(pulling.manifest, DISK_TYPE);
  const known = chunksOfRelative(pulling);
  const progress = new ProgressPrinter(
    pulling.call,
    layers.reduce((sum, layer) => sum + simulatedSize(layer), 0),
  );
  const disk = openSync(bundle.disk, existsSync(bundle.disk) ? 'r+' : 'w+');
  try {
    let offset = 0;
    for (const layer of layers) {
      const size = Number(layer.annotations?.[UNCOMPRESSED_SIZE] ?? 0);
      const there = readChunk(disk, offset, size);
      if (isGood(layer, there)) progress.add(simulatedSize(layer));
      else writeSync(disk, await chunkOf(pulling, layer, { known, progress }), 0, size, offset);
      offset += size;
    }
  } finally {
    closeSync(disk);
  }
}

interface ChunkSource {
  readonly known: ReadonlyMap<string, Buffer>;
  readonly progress: ProgressPrinter;
}

async function chunkOf(pulling: ImagePull, layer: Descriptor, { known, progress }: ChunkSource): Promise<Buffer> {
  const local = known.get(layer.digest);
  if (local) {
    progress.add(simulatedSize(layer));
    return local;
  }
  const data = decodeAppleLz4(await fetchBlob(pulling, layer));
  const rate = pulling.call.host().pull?.bytesPerSecond;
  for (let step = 0; step < STEPS; step++) {
    const bytes = simulatedSize(layer) / STEPS;
    if (rate !== undefined) await pause(pulling.call.around.clock, milliseconds((bytes / rate) * 1_000));
    progress.add(bytes);
  }
  if (!isGood(layer, data)) throw foreignFailure('the layer’s contents do not match their digest');
  return data;
}

const isGood = (layer: Descriptor, data: Buffer): boolean =>
  data.length === Number(layer.annotations?.[UNCOMPRESSED_SIZE]) &&
  `sha256:${createHash('sha256').update(data).digest('hex')}` === layer.annotations?.[UNCOMPRESSED_DIGEST];

function readChunk(disk: number, offset: number, size: number): Buffer {
  const data = Buffer.alloc(size);
  return data.subarray(0, readSync(disk, data, 0, size, offset));
}

/** Chunks of the cached image that shares most with this one, if that is more than a gibibyte. */
function chunksOfRelative({ call, manifest }: ImagePull): ReadonlyMap<string, Buffer> {
  const layerSizes = new Map(layersOf(manifest, DISK_TYPE).map(layer => [layer.digest, simulatedSize(layer)]));
  const shared = listImages(call)
    .filter(entry => entry.name.includes('@'))
    .map(entry => {
      const layers = layersOf(JSON.parse(readManifestFile(entry.bundle)) as ImageManifest, DISK_TYPE);
      return { entry, layers, bytes: layers.reduce((sum, layer) => sum + (layerSizes.get(layer.digest) ?? 0), 0) };
    })
    .sort((one, other) => other.bytes - one.bytes)[0];
  if (!shared || shared.bytes <= GIB) return new Map();
  const gigabytes = (shared.bytes / GB).toFixed(1);
  call.out(
    `found an image ${shared.entry.name} that will allow us to avoid fetching ${gigabytes} GB, will try use it...`,
  );
  return readChunks(shared.entry, shared.layers);
}

function readChunks({ bundle }: NamedBundle, layers: readonly Descriptor[]): Map<string, Buffer> {
  const disk = openSync(bundle.disk, 'r');
  let offset = 0;
  const chunks = layers.map((layer): [string, Buffer] => {
    const size = Number(layer.annotations?.[UNCOMPRESSED_SIZE] ?? 0);
    const data = readChunk(disk, offset, size);
    offset += size;
    return [layer.digest, data];
  });
  closeSync(disk);
  return new Map(chunks);
}
