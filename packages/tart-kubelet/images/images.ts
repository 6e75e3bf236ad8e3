/** Images on this host: pulled once whoever asks, accounted for, and cleaned up without touching what is needed. */

import { backOffDelay, type Clock, minutes, seconds } from '@minifleet/clock';
import { type Log, messageOf } from '@minifleet/kube';
import type { RegistryCredentials, TartCli } from '../guests/tart.ts';
import { IMAGE_NEVER_PULLED, IMAGE_PULL_BACKING_OFF, IMAGE_UNREADABLE } from './errors.ts';
import type { ImageLedger } from './image-ledger.ts';
import { parseImageName } from './image-name.ts';
import { createImageList } from './list-images.ts';
import { createPulls, type PullReport, type Pulls, type WantedPull } from './pulls.ts';
import { credentialsFor } from './registry-credentials.ts';

/** As every kubelet: 10 s, doubled to 5 min. Jitter, so that the hosts of a fleet do not fall upon a registry together (I39). */
const RULE = { first: seconds(10), most: minutes(5), jitter: 0.2 } as const;
// A failure this long ago says nothing about the next try.
const FORGOTTEN_AFTER = minutes(10);

export interface FailedPull {
  readonly failures: number;
  readonly until: number;
  readonly error: Error;
}

/** Remembers the pulls that failed, each under its own key: one image never holds up another. */
export interface PullBackOff {
  /** Undefined when it may be tried now. */
  waiting(key: string): FailedPull | undefined;
  failed(key: string, error: Error): void;
  succeeded(key: string): void;
}

export function createPullBackOff(clock: Clock): PullBackOff {
  const known = new Map<string, FailedPull>();
  const forget = (): void => {
    for (const [key, { until }] of known) if (clock.now() >= until + FORGOTTEN_AFTER) known.delete(key);
  };
  return {
    waiting(key) {
      forget();
      const last = known.get(key);
      return last && clock.now() < last.until ? last : undefined;
    },
    failed(key, error) {
      const failures = known.get(key)?.failures ?? 0;
      const delay = backOffDelay(RULE, failures, () => clock.random());
      known.set(key, { failures: failures + 1, until: clock.now() + delay, error });
    },
    succeeded: key => void known.delete(key),
  };
}

/** What a policy asks for: `pull` also when the image is there, as only the registry knows where a tag points now. */
export type ImageAction = 'use' | 'pull' | 'refuse';

/** Total: policy × whether the host has the image. `Always` asks the registry for a digest, too: it is the access check. */
export const imageActions: Readonly<Record<PullPolicy, Readonly<Record<'present' | 'absent', ImageAction>>>> = {
  Always: { present: 'pull', absent: 'pull' },
  IfNotPresent: { present: 'use', absent: 'pull' },
  Never: { present: 'use', absent: 'refuse' },
};

export interface ImagesOptions {
  readonly tart: Pick<TartCli, 'images' | 'digestOf' | 'pull'>;
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
