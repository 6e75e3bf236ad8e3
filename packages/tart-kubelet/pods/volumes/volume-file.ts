/** A file of a volume, made by the agent: nothing in it comes from the guest. */
export interface VolumeFile {
  /** Relative, without `..`. */
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}
