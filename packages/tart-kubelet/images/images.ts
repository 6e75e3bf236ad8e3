/** Images on this host: shares pulls between Pods, accounts for disk space, and never removes an image in use. */

import { backOffDelay, type Clock, minutes, seconds } from '@minifleet/clock';
import { type Log, messageOf } from '@minifleet/kube';
import type { RegistryCredentials, TartCli } from '../guests/tart.ts';
import { IMAGE_NEVER_PULLED, IMAGE_PULL_BACKING_OFF, IMAGE_UNREADABLE } from './errors.ts';
import type { ImageLedger } from './image-ledger.ts';
import { parseImageName } from './image-name.ts';
import { createImageList } from './list-images.ts';
import { createPulls, type PullReport, type PullRequest, type Pulls } from './pulls.ts';
import { credentialsFor } from './registry-credentials.ts';

/**
 * kubelet's back-off: 10 s, doubled up to 5 min. With jitter, so that the hosts of a fleet do not hit a registry at the
 * same time (I39).
 */
const BACK_OFF = { first: seconds(10), most: minutes(5), jitter: 0.2 } as const;
// An older failure does not affect the next attempt.
const FORGOTTEN_AFTER = minutes(10);

interface FailedPull {
  readonly failures: number;
  readonly until: number;
  readonly error: Error;
}

/** Back-off of failed pulls by key, so that one image never delays another. */
interface PullBackOff {
  /** Undefined if the pull may be tried now. */
  waiting(key: string): FailedPull | undefined;
  failed(key: string, error: Error): void;
  succeeded(key: string): void;
}

function createPullBackOff(clock: Clock): PullBackOff {
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
      const delay = backOffDelay(BACK_OFF, failures, () => clock.random());
      known.set(key, { failures: failures + 1, until: clock.now() + delay, error });
    },
    succeeded: key => void known.delete(key),
  };
}

/**
 * Action for an image: `pull` applies even to a present image, because only the registry knows to which digest a tag
 * points.
 */
type ImageAction = 'use' | 'pull' | 'refuse';

/**
 * Policy × presence on the host → action. `Always` contacts the registry even for a digest: that is the access check.
 */
const imageActions: Readonly<Record<PullPolicy, Readonly<Record<'present' | 'absent', ImageAction>>>> = {
  Always: { present: 'pull', absent: 'pull' },
  IfNotPresent: { present: 'use', absent: 'pull' },
  Never: { present: 'use', absent: 'refuse' },
};

interface ImagesOptions {
  readonly tart: Pick<TartCli, 'images' | 'digestOf' | 'pull'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: ImageLedger;
  /** Provided by the collector; absent with `--disable-vm-gc`, and then nothing is ever removed. */
  readonly reclaim?: Images['reclaim'] | undefined;
  /** Called after each pull, for the metrics. */
  readonly onPulled?: ((pull: PullReport) => void) | undefined;
}

/** Identifies a requested image; the credentials are part of the identity. */
type ImageIdentity = Pick<ImageRequest, 'image' | 'credentials'>;

/** Images with the state of a requested one, for the reason of a waiting container and the time of the next attempt. */
export interface ImageStore extends Images {
  state(request: ImageIdentity): Promise<ImageState | undefined>;
  /** Disk space that pulls in progress will still use. */
  promisedBytes(): number;
}

/**
 * Shares one pull between all requests for the same image and runs pulls of different images in parallel; failures back
 * off.
 */
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
  const context: ImagesContext = { ...options, backOff, pulls: createPulls({ ...options, onEnded }) };
  return {
    ensure: request => ensure(context, request),
    state: request => stateOf(context, request),
    list: () => list.read(),
    promisedBytes: () => context.pulls.promisedBytes(),
    async reclaim(reason) {
      const done = (await reclaim?.(reason)) ?? { freedBytes: 0, removed: [] };
      list.forget();
      return done;
    },
  };
}

interface ImagesContext extends ImagesOptions {
  readonly backOff: PullBackOff;
  readonly pulls: Pulls;
}

/** The key contains the credentials: a result for one secret does not apply to another. */
function pullRequestOf({ image, credentials }: ImageIdentity): PullRequest {
  const name = parseImageName(image);
  const fitting = credentialsFor(name, credentials);
  return { reference: name.reference, credentials: fitting, key: JSON.stringify([name.reference, fitting]) };
}

async function ensure(context: ImagesContext, request: ImageRequest): Promise<{ digest: string; pulled: boolean }> {
  request.signal.throwIfAborted();
  const pull = pullRequestOf(request);
  const { image, policy } = request;
  const present = policy === 'Always' ? undefined : await findDigest(context, pull);
  const action = imageActions[policy][present === undefined ? 'absent' : 'present'];
  if (action === 'refuse') throw IMAGE_NEVER_PULLED({ image });
  if (action === 'use' && present !== undefined) {
    context.ledger.used(present);
    return { digest: present, pulled: false };
  }
  const failed = context.backOff.waiting(pull.key);
  if (failed) throw IMAGE_PULL_BACKING_OFF({ image, why: failed.error.message }, { cause: failed.error });
  return { digest: await context.pulls.join(pull, request), pulled: true };
}

/** A failed inspection does not mean that the image is absent: a pull of tens of gigabytes would be wrong. */
async function findDigest({ tart }: ImagesContext, { reference: image }: PullRequest): Promise<string | undefined> {
  try {
    return await tart.digestOf(image);
  } catch (error) {
    throw IMAGE_UNREADABLE({ image, why: messageOf(error) }, { cause: error });
  }
}

async function stateOf(context: ImagesContext, asked: ImageIdentity): Promise<ImageState | undefined> {
  const request = pullRequestOf(asked);
  const pull = context.pulls.find(request.key);
  if (pull) return { state: 'pulling', ...pull };
  const failed = context.backOff.waiting(request.key);
  if (failed) return { state: 'backing off', until: failed.until, error: failed.error };
  const digest = await findDigest(context, request);
  if (digest === undefined) return undefined;
  const bytes = (await context.tart.images()).find(({ name }) => name === digest)?.bytes ?? 0;
  return { state: 'present', digest, bytes };
}

type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

export interface ImageRequest {
  readonly image: string;
  readonly policy: PullPolicy;
  readonly credentials: readonly RegistryCredentials[];
  /** Receives progress messages for the Pod's events. */
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

/** State of a requested image. `backing off` has the time of the next attempt. */
type ImageState =
  | { readonly state: 'present'; readonly digest: string; readonly bytes: number }
  | { readonly state: 'pulling'; readonly since: number; readonly progress: string }
  | { readonly state: 'backing off'; readonly until: number; readonly error: Error };

export interface Images {
  /**
   * Resolves with `repo@sha256:…`; concurrent calls for a reference share one pull. Rejects with catalogued errors such
   * as ErrImagePull, ErrImageNeverPull and InvalidImageName.
   */
  ensure(request: ImageRequest): Promise<{ readonly digest: string; readonly pulled: boolean }>;
  /** Images for Node.status.images and disk accounting: one entry per digest, largest first. */
  list(): Promise<readonly { readonly names: readonly string[]; readonly sizeBytes: number }[]>;
  /** Removes unused images and returns the freed space. Called periodically, and by a pull that ran out of space. */
  reclaim(
    reason: 'interval' | 'no space',
  ): Promise<{ readonly freedBytes: number; readonly removed: readonly string[] }>;
}
