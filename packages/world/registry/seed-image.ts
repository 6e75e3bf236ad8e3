import { createHash } from 'node:crypto';
import type { Chance } from '../chance.ts';
import { encodeAppleLz4 } from '../tart/oci/apple-lz4.ts';
import { newConfig, softwareLine } from '../tart/storage/vm-config.ts';

export interface SeedImageOptions {
  /** Disk size in the guest (default: 50 GB). */
  readonly diskBytes?: number;
  /** Size of the download and on the host's disk (default: 20 GB). */
  readonly compressedBytes?: number;
  readonly os?: 'darwin' | 'linux';
  /** Number of disk layers (default: 4). */
  readonly chunks?: number;
  /** Number of layers that all versions of the repository share (default: 0). */
  readonly sharedChunks?: number;
  /** Software on the disk besides macOS; `runnerImage()` adds the Actions runner. */
  readonly software?: readonly string[];
  /** Distinguishes images (default: the tag). The same version gives the same digest. */
  readonly version?: string;
}

export interface SeededImage {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

/** Stores an image as `tart push` does: real media types, with tiny layers that simulate big ones. */
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

/** Layout of a Tart image in a registry (facts 10.9). */
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
/** Own annotation: number of bytes that a small layer simulates. Real clients ignore unknown annotations. */
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

/** Returns the number of bytes that the layer simulates. */
export const simulatedSize = (layer: Descriptor): number => Number(layer.annotations?.[SIMULATED_SIZE] ?? layer.size);

export const layersOf = (manifest: ImageManifest, type: string): Descriptor[] =>
  manifest.layers.filter(layer => layer.mediaType === type);

/** Content of a registry. */
export interface RegistryContent {
  readonly blobs: Map<string, Buffer>;
  /** By repository, then by tag or digest. */
  readonly manifests: Map<string, Map<string, Buffer>>;
  /** Uploads in progress, by id. */
  readonly uploads: Map<string, Buffer[]>;
  /** Number of simulated bytes, by blob. */
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

/** Returns the first blob of the manifest that the registry lacks. */
export function missingBlob(content: RegistryContent, data: Buffer): string | undefined {
  const manifest = JSON.parse(data.toString()) as ImageManifest;
  return [manifest.config, ...manifest.layers].map(each => each.digest).find(digest => !content.blobs.has(digest));
}
