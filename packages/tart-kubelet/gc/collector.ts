import { type Clock, type Duration, minutes, pause } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube';
import type { Guests } from '../guests/guest.ts';
import { guestKey } from '../guests/guest-name.ts';
import type { TartCli } from '../guests/tart.ts';
import type { VolumeSpace } from '../images/disk-account.ts';
import type { ImageLedger } from '../images/image-ledger.ts';
import type { Images } from '../images/images.ts';
import { classifyVms } from './classify-vms.ts';
import type { GoldenImages, ImageRetention, ReclaimReason } from './image-retention.ts';
import { removeImages } from './remove-images.ts';
import { listOnDisk, removeLeftovers } from './remove-leftovers.ts';
import { removeVms } from './remove-vms.ts';

/** A Pod of this Node that has not ended, or whose guest has not. */
export interface CollectorPod {
  readonly uid: string;
  /** Image names from its containers. */
  readonly images: readonly string[];
}

export interface CollectorOptions {
  readonly tart: Pick<TartCli, 'vms' | 'images' | 'digestOf' | 'stop' | 'delete'>;
  readonly guests: Pick<Guests, 'all' | 'stop' | 'remove'>;
  readonly ledger: ImageLedger;
  /** All Pods of this Node; undefined until the first full list, during which nothing is collected. */
  readonly pods: () => readonly CollectorPod[] | undefined;
  readonly golden: () => GoldenImages;
  readonly retention: ImageRetention;
  readonly disk: () => Promise<VolumeSpace>;
  readonly directories: CollectorDirectories;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCollected?: ((report: CollectionReport) => void) | undefined;
}

interface CollectorDirectories {
  /** TART_HOME. */
  readonly tart: string;
  /** `<state>/pods`, one folder per UID. */
  readonly pods: string;
  /** One folder `<namespace>_<name>_<uid>` per Pod. */
  readonly logs: string;
}

export interface Collector {
  /**
   * Runs one collection at a time; later calls wait. Never rejects: what could not be removed is retried in the next
   * collection.
   */
  readonly collect: Images['reclaim'];
}

/**
 * Removes owned VMs, images and folders that are no longer needed, and nothing else. Create it after the guests have
 * been recovered.
 */
function createCollector(options: CollectorOptions): Collector {
  let tail: Promise<unknown> = Promise.resolve();
  /** Time since which the Pod of a recorded guest has been gone. */
  const goneSince = new Map<string, number>();
  return {
    collect(reason) {
      const collection = tail.then(() => collectSafely(options, reason, goneSince));
      tail = collection;
      return collection;
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
    options.log.warn({ ...errorFields(error), reason }, 'Garbage collection failed; retrying at the next interval');
    return emptyReport(reason);
  }
}

async function collectOnce(
  options: CollectorOptions,
  reason: ReclaimReason,
  goneSince: Map<string, number>,
): Promise<CollectionReport> {
  const { tart, guests, log } = options;
  // The disk is listed before Pods and records are read, so that anything created later has its Pod and record in them.
  const [vms, images, onDisk] = await Promise.all([tart.vms(), tart.images(), listOnDisk(options.directories)]);
  const pods = options.pods();
  if (pods === undefined) return emptyReport(reason);
  const recorded = guests.all();
  const podUids = new Set(pods.map(({ uid }) => uid));
  const classified = classifyVms({ vms, guests: recorded.map(({ spec }) => spec.id), podUids });
  const before = await options.disk();

  // Guests go first: they share blocks with their image, so removing only the image would free nothing.
  const removedVms = await removeVms({ ...options, goneSince }, classified);
  const known = new Set([...podUids, ...recorded.map(({ spec }) => spec.id.uid)]);
  const keys = new Set(recorded.map(({ spec }) => `pod-${guestKey(spec.id)}`));
  const leftovers = await removeLeftovers(options, { onDisk, vms, known, keys });
  const removedImages = await removeImages(options, { reason, images, pods, guests: recorded, before });

  const removed = { vms: removedVms, images: removedImages, leftovers };
  const freedBytes = Math.max(0, (await options.disk()).freeBytes - before.freeBytes);
  const all = Object.values(removed).flat();
  if (all.length > 0) log.info({ reason, ...removed, freedBytes }, 'Garbage collection finished');
  return { reason, freedBytes, removed: all, byKind: removed };
}

/** Result of one collection. */
export interface CollectionReport {
  readonly reason: ReclaimReason;
  /** Measured on the file system: clones share blocks, so the sum of their sizes would be too high. */
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

/**
 * With `--disable-vm-gc` there is no collector: neither periodic collections nor one by a pull that runs out of space.
 */
export const garbageCollection = (disabled: boolean, options: CollectorOptions): Collector | undefined =>
  disabled ? undefined : createCollector(options);

interface CollectRegularlyOptions {
  readonly clock: Clock;
  readonly every?: Duration;
  /** `images.reclaim`, so that its list is fresh afterwards. */
  readonly reclaim: Images['reclaim'];
  readonly signal: AbortSignal;
}

/** Collects immediately and then every five minutes, until the signal aborts. */
export async function collectRegularly({
  clock,
  every = minutes(5),
  reclaim,
  signal,
}: CollectRegularlyOptions): Promise<void> {
  while (!signal.aborted) {
    await reclaim('interval');
    await pause(clock, every, signal);
  }
}
