import type { Chance } from '../chance.ts';
import {
  CONFIG_TYPE,
  type Descriptor,
  DISK_FORMAT,
  DISK_SIZE,
  DISK_TYPE,
  digestOf,
  MANIFEST_TYPE,
  NVRAM_TYPE,
  putBlob,
  putManifest,
  type RegistryContent,
  SIMULATED_SIZE,
  UNCOMPRESSED_DIGEST,
  UNCOMPRESSED_SIZE,
  UPLOAD_TIME,
  VM_CONFIG_TYPE,
} from '../oci/image-content.ts';
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
