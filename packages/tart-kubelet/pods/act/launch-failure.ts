import { type BackOffOptions, backOffDelay, type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { messageOf } from '@minifleet/kube';
import { VolumeFailure } from '../volumes/pod-volumes.ts';

interface LaunchFailure {
  /** Value of the container's `waiting.reason`. */
  readonly reason: string;
  readonly message: string;
  /** Consecutive failures of one kind increase the delay. */
  readonly kind: string;
  readonly failures: number;
  readonly retryIn: Duration;
  readonly events: readonly { readonly reason: string; readonly note: string }[];
}

const PULL_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
]);
/**
 * A tenth longer than the jittered retry delay of the image itself; otherwise every second launch would come too early.
 */
const PULL: BackOffOptions = { first: seconds(12), most: minutes(6) };
const CONFIG: BackOffOptions = { first: seconds(1), most: seconds(10) };
/** The authorizer lags by milliseconds; a missing permission takes minutes to be granted. */
const NOT_YET: BackOffOptions = { first: milliseconds(250), most: seconds(10) };
const START: BackOffOptions = { first: seconds(10), most: minutes(5) };

/** Maps a failed launch to the Pod's status, the delay before the next attempt, and the events to emit. */
export function launchFailure(
  error: unknown,
  before: { readonly reason: string; readonly failures: number } | undefined,
): LaunchFailure {
  const cause = error instanceof VolumeFailure ? error.cause : error;
  const catalogued = cause instanceof CataloguedError ? cause : undefined;
  const kind = kindOf(error, catalogued);
  const failures = before?.reason === kind ? before.failures + 1 : 1;
  const message = messageOf(error);
  const reason = reasonOf(kind, catalogued, failures);
  return {
    reason,
    message,
    kind,
    failures,
    retryIn: backOffDelay(delaysOf(kind, catalogued), failures - 1, () => 0),
    events: eventsOf(error, { kind, reason, message }),
  };
}

type LaunchFailureKind = 'pull' | 'config' | 'start';

function kindOf(error: unknown, catalogued: CataloguedError | undefined): LaunchFailureKind {
  if (catalogued && PULL_REASONS.has(catalogued.reason)) return 'pull';
  return error instanceof VolumeFailure || catalogued?.reason === 'CreateContainerConfigError' ? 'config' : 'start';
}

/** As in kubelet, a failed pull shows the failure first and `ImagePullBackOff` after further failures. */
function reasonOf(kind: LaunchFailureKind, catalogued: CataloguedError | undefined, failures: number): string {
  if (kind === 'config') return 'CreateContainerConfigError';
  if (kind === 'start') return catalogued?.reason ?? 'CreateContainerError';
  const reason = catalogued?.reason ?? 'ErrImagePull';
  return reason === 'ErrImagePull' && failures > 1 ? 'ImagePullBackOff' : reason;
}

function delaysOf(kind: LaunchFailureKind, catalogued: CataloguedError | undefined): BackOffOptions {
  if (kind === 'config') return typeof catalogued?.retry === 'object' ? NOT_YET : CONFIG;
  return kind === 'pull' ? PULL : START;
}

function eventsOf(
  error: unknown,
  { kind, reason, message }: { readonly kind: LaunchFailureKind; readonly reason: string; readonly message: string },
): LaunchFailure['events'] {
  if (error instanceof VolumeFailure) {
    return [{ reason: 'FailedMount', note: `MountVolume.SetUp failed for ${message}` }];
  }
  if (kind === 'pull') {
    return [
      { reason: 'Failed', note: message },
      { reason: reason === 'ImagePullBackOff' ? 'BackOff' : 'Failed', note: `Error: ${reason}` },
    ];
  }
  return [{ reason: 'Failed', note: `Error: ${message}` }];
}
