import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, type Layer } from './layer.ts';

/** What a runtime is told of an image. */
export interface ImageConfig {
  readonly architecture: 'amd64' | 'arm64';
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

/** Writes an image as an OCI layout, which skopeo, crane, podman and containerd read; its digest, by which it is pinned. */
export async function writeOciLayout(
  folder: string,
  { tag, layers, config }: { readonly tag: string; readonly layers: readonly Layer[]; readonly config: ImageConfig },
): Promise<string> {
  await mkdir(join(folder, 'blobs/sha256'), { recursive: true });
  const write = async (mediaType: string, bytes: Uint8Array): Promise<Descriptor> => {
    const digest = digestOf(bytes);
    await writeFile(join(folder, 'blobs', digest.replace(':', '/')), bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const manifest = await write(
    MEDIA.manifest,
    json({
      schemaVersion: 2,
      mediaType: MEDIA.manifest,
      config: await write(MEDIA.config, json(imageConfig(config, layers))),
      layers: await Promise.all(layers.map(({ blob }) => write(MEDIA.layer, blob))),
    }),
  );
  const named = { ...manifest, annotations: { 'org.opencontainers.image.ref.name': tag } };
  await writeFile(join(folder, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  await writeFile(join(folder, 'index.json'), json({ schemaVersion: 2, mediaType: MEDIA.index, manifests: [named] }));
  return manifest.digest;
}

/** Without the time it was made at: the same content is the same image. */
const imageConfig = (config: ImageConfig, layers: readonly Layer[]): object => ({
  architecture: config.architecture,
  os: 'linux',
  config: {
    User: config.user,
    Env: Object.entries(config.environment).map(([name, value]) => `${name}=${value}`),
    Entrypoint: config.entrypoint,
    Labels: config.labels,
  },
  rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
});

const json = (value: object): Uint8Array => Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
