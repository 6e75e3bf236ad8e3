import { createHash } from 'node:crypto';
import type { Chance } from '../chance.ts';
import { encodeAppleLz4 } from '../tart/oci/apple-lz4.ts';
import { newConfig, softwareLine } from '../tart/storage/vm-config.ts';

export interface SeedImageOptions {
  /** As the guest sees its disk; 50 GB unless said. */
  readonly diskBytes?: number;
  /** What goes over the wire and is taken on the host; 20 GB unless said. */
  readonly compressedBytes?: number;
  readonly os?: 'darwin' | 'linux';
  /** In how many layers the disk comes. */
  readonly chunks?: number;
  /** How many of the layers all versions of the repository have in common. */
  readonly sharedChunks?: number;
  /** What is on the disk beyond macOS; `runnerImage()` names the Actions runner. */
  readonly software?: readonly string[];
  /** What sets two images apart; the same word gives the same digest. */
  readonly version?: string;
}

export interface SeededImage {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

/** Puts an image in place as `tart push` would have: real media types, tiny layers that stand for big ones. */
export function seedImage(
  content: RegistryContent,
  name: string,
  options: SeedImageOptions & { chance: Chance },
): SeededImage {
  const [repository = name, tag = 'latest'] = name.split(/:(?=[^/]*$)/);
  const { os = 'darwin', chunks = 4, version = tag, diskBytes = 50e9, compressedBytes = 20e9 } = options;
  const chance = options.chance.stream(`${repository}/${version}`);
  const shared = options.chance.stream(repository);
  const config = Buffer.from(
    JSON.stringify({ architecture: 'arm64', os, config: { Labels: { [DISK_FORMAT]: 'raw' } } }),
  );
  const disk = Array.from({ length: chunks }, (_, index) => {
    const own = index < (options.sharedChunks ?? 0) ? shared : chance;
    const start = index === 0 ? softwareLine(options.software ?? []) : '';
    return diskLayer(content, Buffer.from(start + own.hex(512)), Math.floor(compressedBytes / chunks));
  });
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: describe(content, CONFIG_TYPE, config),
    layers: [
      describe(content, VM_CONFIG_TYPE, Buffer.from(JSON.stringify(newConfig(os, chance)))),
      ...disk,
      describe(content, NVRAM_TYPE, Buffer.from(chance.hex(128))),
    ],
    annotations: { [DISK_SIZE]: `${diskBytes}`, [UPLOAD_TIME]: '2026-05-01T00:00:00Z' },
  };
  const digest = putManifest(content, { repository, reference: tag }, Buffer.from(JSON.stringify(manifest)));
  return { repository, tag, digest };
}

function describe(content: RegistryContent, mediaType: string, data: Buffer): Descriptor {
  return { mediaType, size: data.length, digest: putBlob(content, data) };
}

function diskLayer(content: RegistryContent, data: Buffer, standsFor: number): Descriptor {
  return {
    ...describe(content, DISK_TYPE, encodeAppleLz4(data)),
    annotations: {
      [UNCOMPRESSED_SIZE]: `${data.length}`,
      [UNCOMPRESSED_DIGEST]: digestOf(data),
      [SIMULATED_SIZE]: `${standsFor}`,
    },
  };
}

/** How Tart lays an image out in a registry (facts 10.9). */
export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
export const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json';
export const VM_CONFIG_TYPE = 'application/vnd.cirruslabs.tart.config.v1';
export const DISK_TYPE = 'application/vnd.cirruslabs.tart.disk.v2';
export const NVRAM_TYPE = 'application/vnd.cirruslabs.tart.nvram.v1';

export const UNCOMPRESSED_SIZE = 'org.cirruslabs.tart.uncompressed-size';
export const UNCOMPRESSED_DIGEST = 'org.cirruslabs.tart.uncompressed-content-digest';
export const DISK_SIZE = 'org.cirruslabs.tart.uncompressed-disk-size';
export const UPLOAD_TIME = 'org.cirruslabs.tart.upload-time';
export const DISK_FORMAT = 'org.cirruslabs.tart.disk.format';
/** Ours: how many bytes a small layer stands for. Real clients pass over annotations they do not know. */
export const SIMULATED_SIZE = 'dev.minifleet.world.simulated-size';

export interface Descriptor {
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ImageManifest {
  readonly schemaVersion: 2;
  readonly mediaType: typeof MANIFEST_TYPE;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What the layer stands for, in bytes. */
export const simulatedSize = (layer: Descriptor): number => Number(layer.annotations?.[SIMULATED_SIZE] ?? layer.size);

export const layersOf = (manifest: ImageManifest, type: string): Descriptor[] =>
  manifest.layers.filter(layer => layer.mediaType === type);

/** What a registry holds. */
export interface RegistryContent {
  readonly blobs: Map<string, Buffer>;
  /** By repository, then by tag or digest. */
  readonly manifests: Map<string, Map<string, Buffer>>;
  /** Uploads that are under way, by their id. */
  readonly uploads: Map<string, Buffer[]>;
  /** By blob: how many bytes it stands for. */
  readonly simulatedSizes: Map<string, number>;
}

export const createContent = (): RegistryContent => ({
  blobs: new Map(),
  manifests: new Map(),
  uploads: new Map(),
  simulatedSizes: new Map(),
});

export const digestOf = (data: Buffer): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;

export function putBlob(content: RegistryContent, data: Buffer): string {
  const digest = digestOf(data);
  content.blobs.set(digest, data);
  return digest;
}

interface ManifestReference {
  readonly repository: string;
  readonly reference: string;
}

export function putManifest(
  content: RegistryContent,
  { repository, reference }: ManifestReference,
  data: Buffer,
): string {
  const digest = digestOf(data);
  const known = content.manifests.get(repository) ?? new Map<string, Buffer>();
  known.set(reference, data).set(digest, data);
  content.manifests.set(repository, known);
  for (const layer of (JSON.parse(data.toString()) as ImageManifest).layers ?? []) {
    const size = layer.annotations?.[SIMULATED_SIZE];
    if (size !== undefined) content.simulatedSizes.set(layer.digest, Number(size));
  }
  return digest;
}

/** The first blob a manifest names that is not there. */
export function missingBlob(content: RegistryContent, data: Buffer): string | undefined {
  const manifest = JSON.parse(data.toString()) as ImageManifest;
  return [manifest.config, ...manifest.layers].map(each => each.digest).find(digest => !content.blobs.has(digest));
}
