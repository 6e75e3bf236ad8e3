import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture } from './architecture.ts';
import { digestOf, type Layer } from './layer.ts';

/** Configuration of an image for runtimes. */
export interface ImageConfig {
  readonly platform: Architecture['platform'];
  readonly entrypoint: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
}

const MEDIA = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** One image: its layers, bottom first, and its configuration. */
export interface PlatformImage {
  readonly layers: readonly Layer[];
  readonly config: ImageConfig;
}

export interface WrittenLayout {
  /** Digest of the index, which pins all platforms at once. */
  readonly digest: string;
  /** Digests of the images, in the given order. */
  readonly manifests: readonly string[];
}

/**
 * Writes an image for several platforms as an OCI layout, which skopeo, crane, podman and containerd read. Platforms
 * share equal layers as one blob.
 */
export async function writeOciLayout(
  folder: string,
  { tag, images }: { readonly tag: string; readonly images: readonly PlatformImage[] },
): Promise<WrittenLayout> {
  await mkdir(join(folder, 'blobs/sha256'), { recursive: true });
  const write = async (mediaType: string, bytes: Uint8Array): Promise<Descriptor> => {
    const digest = digestOf(bytes);
    await writeFile(join(folder, 'blobs', digest.replace(':', '/')), bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const manifests = [];
  for (const { layers, config } of images) {
    const manifest = json({
      schemaVersion: 2,
      mediaType: MEDIA.manifest,
      config: await write(MEDIA.config, json(imageConfig(config, layers))),
      layers: await Promise.all(layers.map(({ blob }) => write(MEDIA.layer, blob))),
    });
    manifests.push({ ...(await write(MEDIA.manifest, manifest)), platform: config.platform });
  }
  const index = await write(MEDIA.index, json({ schemaVersion: 2, mediaType: MEDIA.index, manifests }));
  const named = { ...index, annotations: { 'org.opencontainers.image.ref.name': tag } };
  await writeFile(join(folder, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  await writeFile(join(folder, 'index.json'), json({ schemaVersion: 2, mediaType: MEDIA.index, manifests: [named] }));
  return { digest: index.digest, manifests: manifests.map(({ digest }) => digest) };
}

/** Without a creation time, so that the same content is the same image. */
const imageConfig = (config: ImageConfig, layers: readonly Layer[]): object => ({
  ...config.platform,
  config: {
    User: config.user,
    Env: Object.entries(config.environment).map(([name, value]) => `${name}=${value}`),
    Entrypoint: config.entrypoint,
    Labels: config.labels,
  },
  rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
});

const json = (value: object): Uint8Array => Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
