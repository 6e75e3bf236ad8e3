/** OCI images as Tart stores them: media types, annotations, and the blobs and manifests of a registry. */
import { createHash } from 'node:crypto';

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
