import { createHash } from 'node:crypto';
import { type Manifest, SIMULATED_SIZE } from './image-media.ts';

/** What a registry holds. */
export interface Content {
  readonly blobs: Map<string, Buffer>;
  /** By repository, then by tag or digest. */
  readonly manifests: Map<string, Map<string, Buffer>>;
  /** Uploads that are under way, by their id. */
  readonly uploads: Map<string, Buffer[]>;
  /** By blob: how many bytes it stands for. */
  readonly simulatedSizes: Map<string, number>;
}

export const createContent = (): Content => ({
  blobs: new Map(),
  manifests: new Map(),
  uploads: new Map(),
  simulatedSizes: new Map(),
});

export const digestOf = (data: Buffer): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;

export function putBlob(content: Content, data: Buffer): string {
  const digest = digestOf(data);
  content.blobs.set(digest, data);
  return digest;
}

export interface ManifestPlace {
  readonly repository: string;
  readonly reference: string;
}

export function putManifest(content: Content, { repository, reference }: ManifestPlace, data: Buffer): string {
  const digest = digestOf(data);
  const known = content.manifests.get(repository) ?? new Map<string, Buffer>();
  known.set(reference, data).set(digest, data);
  content.manifests.set(repository, known);
  for (const layer of (JSON.parse(data.toString()) as Manifest).layers ?? []) {
    const size = layer.annotations?.[SIMULATED_SIZE];
    if (size !== undefined) content.simulatedSizes.set(layer.digest, Number(size));
  }
  return digest;
}

/** The first blob a manifest names that is not there. */
export function missingBlob(content: Content, data: Buffer): string | undefined {
  const manifest = JSON.parse(data.toString()) as Manifest;
  return [manifest.config, ...manifest.layers].map(each => each.digest).find(digest => !content.blobs.has(digest));
}
