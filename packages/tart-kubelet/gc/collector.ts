import { type Clock, type Duration, minutes, pause } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube';
import type { Guests } from '../guests/guest.ts';
import { guestKey } from '../guests/guest-name.ts';
import type { TartCli } from '../guests/tart.ts';
import type { DiskSpace } from '../images/disk-account.ts';
import type { ImageLedger } from '../images/image-ledger.ts';
import type { Images } from '../images/images.ts';
import { judgeVms } from './classify-vms.ts';
import type { Golden, ImageRetention, ReclaimReason } from './image-retention.ts';
import { removeImages } from './remove-images.ts';
import { listOnDisk, removeLeftovers } from './remove-leftovers.ts';
import { removeVms } from './remove-vms.ts';

/** A Pod of this Node that has not ended, or whose guest has not. */
export interface PodSeen {
  readonly uid: string;
  /** As its containers name them. */
  readonly images: readonly string[];
}

export interface CollectorOptions {
  readonly tart: Pick<TartCli, 'vms' | 'images' | 'digestOf' | 'stop' | 'delete'>;
  readonly guests: Pick<Guests, 'all' | 'stop' | 'remove'>;
  readonly ledger: ImageLedger;
  /** All Pods of this Node; undefined until the first full list, and then nothing is collected. */
  readonly pods: () => readonly PodSeen[] | undefined;
  readonly golden: () => Golden;
  readonly retention: ImageRetention;
  readonly disk: () => Promise<DiskSpace>;
  readonly directories: CollectedDirectories;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCollected?: ((report: CollectionReport) => void) | undefined;
}

interface CollectedDirectories {
  /** TART_HOME. */
  readonly tart: string;
  /** `<state>/pods`, a folder a UID. */
  readonly pods: string;
  /** A folder `<namespace>_<name>_<uid>` a Pod. */
  readonly logs: string;
}

export interface Collector {
  /** One pass at a time; the next waits for its turn. Never rejects: what could not be removed is tried in the next pass. */
  readonly collect: Images['reclaim'];
}

/** Removes what is ours and no longer needed, and nothing else. Construct it after the guests were recovered. */
function createCollector(options: CollectorOptions): Collector {
  let tail: Promise<unknown> = Promise.resolve();
  /** Since when a recorded guest's Pod has been gone. */
  const goneSince = new Map<string, number>();
  return {
    collect(reason) {
      const pass = tail.then(() => collectSafely(options, reason, goneSince));
      tail = pass;
      return pass;
    },
  };
}

async function collectSafely(
  options: CollectorOptions,
  reason: ReclaimReason,
  goneSince: Map<string, number>,
): Promise<CollectionReport> {
  try {
    const report = await collectOnce(options, reason, goneSince);
    options.onCollected?.(report);
    return report;
  } catch (error) {
    options.log.warn({ ...errorFields(error), reason }, 'Collection skipped');
    return emptyReport(reason);
  }
}

async function collectOnce(
  options: CollectorOptions,
  reason: ReclaimReason,
  goneSince: Map<string, number>,
): Promise<CollectionReport> {
  const { tart, guests, log } = options;
  // What lies there is listed first. Whatever is made later has its Pod and its record in what is asked second.
  const [vms, images, onDisk] = await Promise.all([tart.vms(), tart.images(), listOnDisk(options.directories)]);
  const pods = options.pods();
  if (pods === undefined) return emptyReport(reason);
  const recorded = guests.all();
  const podUids = new Set(pods.map(({ uid }) => uid));
  const judged = judgeVms({ vms, guests: recorded.map(({ spec }) => spec.id), podUids });
  const before = await options.disk();

  // Guests first: they share blocks with their image, so that the image alone frees nothing.
  const removedVms = await removeVms({ ...options, goneSince }, judged);
  const known = new Set([...podUids, ...recorded.map(({ spec }) => spec.id.uid)]);
  const keys = new Set(recorded.map(({ spec }) => `pod-${guestKey(spec.id)}`));
  const leftovers = await removeLeftovers(options, { onDisk, vms, known, keys });
  const removedImages = await removeImages(options, { reason, images, pods, guests: recorded, before });

  const removed = { vms: removedVms, images: removedImages, leftovers };
  const freedBytes = Math.max(0, (await options.disk()).freeBytes - before.freeBytes);
  const all = Object.values(removed).flat();
  if (all.length > 0) log.info({ reason, ...removed, freedBytes }, 'Collected');
  return { reason, freedBytes, removed: all, byKind: removed };
}

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

/** `--disable-vm-gc`: there is no collector then, and so neither passes nor a clean-up by a pull that finds no room. */
export const garbageCollection = (disabled: boolean, options: CollectorOptions): Collector | undefined =>
  disabled ? undefined : createCollector(options);

interface CollectOptions {
  readonly clock: Clock;
  readonly every?: Duration;
  /** `images.reclaim`, so that its list is fresh afterwards. */
  readonly reclaim: Images['reclaim'];
  readonly signal: AbortSignal;
}

/** A pass now and then each five minutes, until the signal aborts. */
export async function collectRegularly({ clock, every = minutes(5), reclaim, signal }: CollectOptions): Promise<void> {
  while (!signal.aborted) {
    await reclaim('interval');
    await pause(clock, every, signal);
  }
}
