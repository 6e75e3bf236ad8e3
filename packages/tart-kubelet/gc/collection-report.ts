import type { ReclaimReason } from './image-retention.ts';

/** What one pass came to. */
export interface CollectionReport {
  readonly reason: ReclaimReason;
  /** As the file system tells it: clones share blocks, so sizes would promise too much. */
  readonly freedBytes: number;
  readonly removed: readonly string[];
  readonly byKind: Readonly<Record<'vms' | 'images' | 'leftovers', readonly string[]>>;
}

export const emptyReport = (reason: ReclaimReason): CollectionReport => ({
  reason,
  freedBytes: 0,
  removed: [],
  byKind: { vms: [], images: [], leftovers: [] },
});
