import type { Clock } from '@minifleet/clock';
import { type Log, messageOf } from '@minifleet/kube';
import type { Tart } from '../guests/tart.ts';
import { IMAGE_NEVER_PULLED, IMAGE_PULL_BACKING_OFF, IMAGE_UNREADABLE } from './errors.ts';
import type { ImageLedger } from './image-ledger.ts';
import { parseImageName } from './image-name.ts';
import type { ImageRequest, ImageState, Images } from './images.ts';
import { createImageList } from './list-images.ts';
import { createPullBackOff, type PullBackOff } from './pull-back-off.ts';
import { imageActions } from './pull-policy.ts';
import { createPulls, type PullReport, type Pulls, type WantedPull } from './pulls.ts';
import { credentialsFor } from './registry-credentials.ts';

export interface ImagesOptions {
  readonly tart: Pick<Tart, 'images' | 'digestOf' | 'pull'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: ImageLedger;
  /** The collector's; absent with `--disable-vm-gc`, and then nothing is ever removed here. */
  readonly reclaim?: Images['reclaim'] | undefined;
  /** Told of each pull that ended, for the metrics. */
  readonly onPulled?: ((pull: PullReport) => void) | undefined;
}

/** What identifies a wanted image: who may pull it is part of the question. */
export type WantedImage = Pick<ImageRequest, 'image' | 'credentials'>;

/** Images, and where a wanted one stands: for the reason of a waiting container and the time of the next try. */
export interface ImageStore extends Images {
  state(wanted: WantedImage): Promise<ImageState | undefined>;
  /** What pulls under way will still take of the disk. */
  promisedBytes(): number;
}

/** One pull for all who ask for the same, beside those of other images; failures wait longer each time. */
export function createImages(options: ImagesOptions): ImageStore {
  const { tart, clock, reclaim, onPulled } = options;
  const list = createImageList(tart, clock);
  const backOff = createPullBackOff(clock);
  const onEnded = (key: string, report: PullReport): void => {
    if (report.error) backOff.failed(key, report.error);
    else backOff.succeeded(key);
    list.forget();
    onPulled?.(report);
  };
  const work: Work = { ...options, backOff, pulls: createPulls({ ...options, onEnded }) };
  return {
    ensure: request => ensure(work, request),
    state: wanted => stateOf(work, wanted),
    list: () => list.read(),
    promisedBytes: () => work.pulls.promisedBytes(),
    async reclaim(reason) {
      const done = (await reclaim?.(reason)) ?? { freedBytes: 0, removed: [] };
      list.forget();
      return done;
    },
  };
}

interface Work extends ImagesOptions {
  readonly backOff: PullBackOff;
  readonly pulls: Pulls;
}

/** The answer for one secret is not the answer for another, so the credentials are in the key. */
function wantedOf({ image, credentials }: WantedImage): WantedPull {
  const name = parseImageName(image);
  const fitting = credentialsFor(name, credentials);
  return { reference: name.reference, credentials: fitting, key: JSON.stringify([name.reference, fitting]) };
}

async function ensure(work: Work, request: ImageRequest): Promise<{ digest: string; pulled: boolean }> {
  request.signal.throwIfAborted();
  const wanted = wantedOf(request);
  const { image, policy } = request;
  const present = policy === 'Always' ? undefined : await look(work, wanted);
  const action = imageActions[policy][present === undefined ? 'absent' : 'present'];
  if (action === 'refuse') throw IMAGE_NEVER_PULLED({ image });
  if (action === 'use' && present !== undefined) {
    work.ledger.used(present);
    return { digest: present, pulled: false };
  }
  const failed = work.backOff.waiting(wanted.key);
  if (failed) throw IMAGE_PULL_BACKING_OFF({ image, why: failed.error.message }, { cause: failed.error });
  return { digest: await work.pulls.join(wanted, request), pulled: true };
}

/** A host that cannot be looked at is not one without the image: a pull of tens of gigabytes would answer the wrong question. */
async function look({ tart }: Work, { reference: image }: WantedPull): Promise<string | undefined> {
  try {
    return await tart.digestOf(image);
  } catch (error) {
    throw IMAGE_UNREADABLE({ image, why: messageOf(error) }, { cause: error });
  }
}

async function stateOf(work: Work, asked: WantedImage): Promise<ImageState | undefined> {
  const wanted = wantedOf(asked);
  const pull = work.pulls.find(wanted.key);
  if (pull) return { state: 'pulling', ...pull };
  const failed = work.backOff.waiting(wanted.key);
  if (failed) return { state: 'backing off', until: failed.until, error: failed.error };
  const digest = await look(work, wanted);
  if (digest === undefined) return undefined;
  const bytes = (await work.tart.images()).find(({ name }) => name === digest)?.bytes ?? 0;
  return { state: 'present', digest, bytes };
}
