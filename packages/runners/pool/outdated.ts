import type { RecordedEnd, RunnerPool, RunnerPoolStatus } from '@minifleet/api';
import { minutes, timestamp } from '@minifleet/clock';
import type { RunnerVersionSupport } from '@minifleet/forges';
import type { PoolRunner } from '../runner/runner.ts';

type Outdated = NonNullable<RunnerPoolStatus['outdated']>;

/**
 * A refused version is tried again forever. GitHub has called the newest version deprecated during outages and accepted
 * it the next day (actions/runner#4613, #3381). Controllers that stopped for good stayed down
 * (actions-runner-controller#4595, #4600).
 */
const TRIAL_EVERY = minutes(10);

/** An idle runner polls at least once a minute, so an idle runner of this age was not refused. */
const ACCEPTED_AFTER = minutes(2);

interface ImageAt {
  readonly image: string;
  readonly now: number;
}

/** Record of a refused runner version after a runner ended. Refusals before `retryAfter` count as one. */
export function outdatedAfter(
  before: Outdated | undefined,
  end: Pick<RecordedEnd, 'image' | 'outcome' | 'version' | 'startedAt'>,
  { image, now }: ImageAt,
): Outdated | undefined {
  const known = before?.image === image ? before : undefined;
  if (end.image !== image) return known;
  if (known && isProof(end, known)) return undefined;
  if (end.outcome !== 'RunnerOutdated') return known;
  if (known && now < Date.parse(known.retryAfter)) return known;
  const version = end.version ?? known?.version;
  return {
    image,
    ...(version === undefined ? {} : { version }),
    since: known?.since ?? timestamp(now),
    retryAfter: timestamp(now + TRIAL_EVERY),
  };
}

/** A job of a runner that started after the last refusal; jobs that were running at that time prove nothing. */
const isProof = (
  { outcome, startedAt }: Pick<RecordedEnd, 'outcome' | 'startedAt'>,
  { retryAfter }: Outdated,
): boolean => outcome === 'JobDone' && Date.parse(startedAt ?? '') >= Date.parse(retryAfter) - TRIAL_EVERY;

/**
 * The record as long as it applies: until the pool has another image, or GitHub accepts the version again. That is proven
 * after `retryAfter` by a runner that got a job since then, or that is still idle two minutes after it came online.
 */
export function standing(
  outdated: Outdated | undefined,
  runners: readonly PoolRunner[],
  { image, now }: ImageAt,
): Outdated | undefined {
  if (outdated?.image !== image) return undefined;
  const due = Date.parse(outdated.retryAfter);
  if (now < due) return outdated;
  const isAccepted = ({ state, stale, registration: { onlineSince, jobSince } }: PoolRunner): boolean =>
    !stale &&
    ((state === 'busy' && (jobSince ?? 0) >= due) ||
      (state === 'idle' && now >= (onlineSince ?? Infinity) + ACCEPTED_AFTER));
  return runners.some(isAccepted) ? undefined : outdated;
}

/** Includes `ended`: the next trial waits until the end of the last one is recorded. */
const ON_TRIAL: ReadonlySet<PoolRunner['state']> = new Set([
  ...(['pending', 'starting', 'idle', 'lost', 'unseen', 'ended'] as const),
]);

/** Number of runners that may be created now: none before `retryAfter`, then one at a time until one is accepted. */
export function trialsNow(
  outdated: Outdated | undefined,
  runners: readonly PoolRunner[],
  { gap, ...view }: ImageAt & { readonly gap: number },
): number {
  const known = standing(outdated, runners, view);
  if (!known) return gap;
  if (view.now < Date.parse(known.retryAfter)) return 0;
  const onTrial = runners.filter(({ state, stale }) => !stale && ON_TRIAL.has(state)).length;
  return Math.min(gap, Math.max(0, 1 - onTrial));
}

/** Support of the version of the pool's runners, as far as GitHub reports it. */
export interface PoolRunnerVersion {
  readonly version: string;
  readonly support: RunnerVersionSupport | undefined;
}

/** Enough for a bake and a rollout; GitHub's deadlines were 60 to 70 days after the next release. */
const WARN_BEFORE = minutes(14 * 24 * 60);

export interface RunnerVersionVerdict {
  readonly reason: 'Supported' | 'NotChecked' | 'EndsSoon' | 'Outdated';
  readonly message: string;
}

interface VersionView {
  readonly pool: RunnerPool;
  readonly runners: readonly PoolRunner[];
  /** Version of the runners with the pool's image. */
  readonly version: PoolRunnerVersion | undefined;
  readonly now: number;
}

const REBUILD = 'Rebuild the image with the latest release of actions/runner and set spec.image';

/** State of the runner version: what GitHub did to a runner comes before what GitHub announced. */
export function judgeRunnerVersion({ pool, runners, version, now }: VersionView): RunnerVersionVerdict {
  const refused = standing(pool.status?.outdated, runners, { image: pool.spec.image, now });
  if (refused) return { reason: 'Outdated', message: outdatedMessage(refused, version, now) };
  if (!version?.support) return { reason: 'NotChecked', message: '' };
  const { endsAt } = version.support;
  if (endsAt === undefined || now < endsAt - WARN_BEFORE) return { reason: 'Supported', message: '' };
  const ends = now < endsAt ? 'stops giving' : 'announced to stop giving';
  const message = `GitHub ${ends} jobs to actions/runner ${version.version} at ${timestamp(endsAt)}. ${REBUILD}`;
  return { reason: 'EndsSoon', message };
}

/** Names version, deadline and next action. */
export function outdatedMessage(
  { version, retryAfter }: Outdated,
  known: PoolRunnerVersion | undefined,
  now: number,
): string {
  const runner = version === undefined ? 'actions/runner of this image' : `actions/runner ${version}`;
  const support = known && (version === undefined || known.version === version) ? known.support : undefined;
  const next = `The next trial runner is created after ${retryAfter}`;
  if (support && (support.endsAt ?? Infinity) > now) {
    const until = support.endsAt === undefined ? 'no end' : `an end at ${timestamp(support.endsAt)}`;
    return `GitHub refuses ${runner} as outdated, but announces ${until} for it. This is probably an outage of GitHub; the pool recovers by itself. ${next}`;
  }
  const deadline = support?.endsAt === undefined ? '' : ` since ${timestamp(support.endsAt)}`;
  return `GitHub gives no jobs to ${runner}${deadline}. ${REBUILD}. ${next}`;
}
