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

export interface Manifest {
  readonly schemaVersion: 2;
  readonly mediaType: typeof MANIFEST_TYPE;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What the layer stands for, in bytes. */
export const simulatedSize = (layer: Descriptor): number => Number(layer.annotations?.[SIMULATED_SIZE] ?? layer.size);

export const layersOf = (manifest: Manifest, type: string): Descriptor[] =>
  manifest.layers.filter(layer => layer.mediaType === type);
