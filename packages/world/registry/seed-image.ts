import type { Chance } from '../chance.ts';
import { encodeAppleLz4 } from '../tart/oci/apple-lz4.ts';
import { softwareLine } from '../tart/storage/software.ts';
import { newConfig } from '../tart/storage/vm-config.ts';
import { type Content, digestOf, putBlob, putManifest } from './content.ts';
import {
  CONFIG_TYPE,
  type Descriptor,
  DISK_FORMAT,
  DISK_SIZE,
  DISK_TYPE,
  MANIFEST_TYPE,
  NVRAM_TYPE,
  SIMULATED_SIZE,
  UNCOMPRESSED_DIGEST,
  UNCOMPRESSED_SIZE,
  UPLOAD_TIME,
  VM_CONFIG_TYPE,
} from './image-media.ts';

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
export function seedImage(content: Content, name: string, options: SeedImageOptions & { chance: Chance }): SeededImage {
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

function describe(content: Content, mediaType: string, data: Buffer): Descriptor {
  return { mediaType, size: data.length, digest: putBlob(content, data) };
}

function diskLayer(content: Content, data: Buffer, standsFor: number): Descriptor {
  return {
    ...describe(content, DISK_TYPE, encodeAppleLz4(data)),
    annotations: {
      [UNCOMPRESSED_SIZE]: `${data.length}`,
      [UNCOMPRESSED_DIGEST]: digestOf(data),
      [SIMULATED_SIZE]: `${standsFor}`,
    },
  };
}
