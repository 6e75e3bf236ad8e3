/** Images on this host: pulled once whoever asks, accounted for, and cleaned up without touching what is needed. */
import type { RegistryCredentials } from '../guests/tart.ts';

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

export interface ImageRequest {
  readonly image: string;
  readonly policy: PullPolicy;
  readonly credentials: readonly RegistryCredentials[];
  /** The Pod that wants it, for events: told of progress. */
  readonly onProgress: (words: string) => void;
  readonly signal: AbortSignal;
}

/** Where a wanted image stands. `backing off` carries when the next try comes. */
export type ImageState =
  | { readonly state: 'present'; readonly digest: string; readonly bytes: number }
  | { readonly state: 'pulling'; readonly since: number; readonly progress: string }
  | { readonly state: 'backing off'; readonly until: number; readonly error: Error };

export interface Images {
  /** Resolves with `repo@sha256:…`; single flight by reference; rejects with ErrImagePull, ErrImageNeverPull, InvalidImageName as errors of the catalogue. */
  ensure(request: ImageRequest): Promise<{ readonly digest: string; readonly pulled: boolean }>;
  /** For Node.status.images and the account of the disk: each content once, largest first. */
  list(): Promise<readonly { readonly names: readonly string[]; readonly sizeBytes: number }[]>;
  /** Frees what nobody needs; tells how much. Called by the collector and once by a pull that ran out of space. */
  reclaim(
    reason: 'interval' | 'no space',
  ): Promise<{ readonly freedBytes: number; readonly removed: readonly string[] }>;
}
