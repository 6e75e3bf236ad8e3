import type { EntitySnapshot } from './entity.ts';

/** What has been told of one host, fleet or pool, and what of it still lasts. */
export interface Entity {
  readonly sight: EntitySnapshot;
  /** It did its work before, as far as we know. */
  readonly wellBefore: boolean;
  /** From when on it is in trouble; absent while it is not. */
  readonly troubledSince?: number;
  /** When it was broken on purpose, or a warning came, and nothing has followed from it yet. */
  readonly warned?: { readonly at: number; readonly onPurpose: boolean };
  /** The gist of what was told since it was last well. */
  readonly said: readonly string[];
  /** When a trouble was last over. */
  readonly wellAgainAt?: number;
}

/** An event about a subject. */
export interface WatchedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** What the timeline is made of. */
export type EntityChange =
  /** `opening`: it was so before we looked. */
  | { readonly type: 'seen'; readonly at: number; readonly sight: EntitySnapshot; readonly opening?: boolean }
  | { readonly type: 'gone'; readonly at: number }
  /** `heardAt`: when it came, which may be a moment before it is told. */
  | { readonly type: 'event'; readonly at: number; readonly heardAt: number; readonly event: WatchedEvent };
