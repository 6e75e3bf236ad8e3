import type { ReasonOf, RunnerPool, runnerPoolConditions } from '@minifleet/api';
import type { CataloguedError } from '@minifleet/errors';
import { deleting, type Node } from '@minifleet/kube';
import { whyTooLarge } from '../autoscaling/fleet-capacity.ts';
import { blockedBy, unschedulable } from '../runner/pod-state.ts';
import type { PoolRunner, PoolRunnerState } from '../runner/runner.ts';
import { outdatedMessage, type PoolRunnerVersion, standing } from './outdated.ts';

type ReadyReason = ReasonOf<typeof runnerPoolConditions, 'Ready'>;

export interface ReadyVerdict {
  readonly reason: ReadyReason;
  /** One sentence; empty if nothing is missing. */
  readonly message: string;
}

export interface WhyView {
  readonly pool: RunnerPool;
  readonly runners: readonly PoolRunner[];
  /** Nodes of its fleet. */
  readonly macs: readonly Node[];
  readonly trouble: CataloguedError | undefined;
  /** Message of the API server when it rejected a runner. */
  readonly refused: string | undefined;
  readonly version?: PoolRunnerVersion | undefined;
  readonly now: number;
}

/** Reason why a new job may have to wait: the first cause, in the order of repair. */
export function whyJobsWait(view: WhyView): ReadyVerdict {
  const { pool, runners, macs, trouble, refused, version, now } = view;
  const { spec, status } = pool;
  if (deleting(pool)) return { reason: 'Deleting', message: 'the pool is being deleted' };
  if (spec.os !== 'darwin')
    return { reason: 'OSNotSupported', message: `spec.os ${spec.os} is not supported; set it to darwin` };
  const online = runners.filter(({ state }) => ONLINE.has(state)).length;
  if (online >= spec.replicas) return { reason: 'Ready', message: '' };
  const missing = `${spec.replicas - online} of ${spec.replicas} runners are missing`;
  if (trouble) return { reason: 'ForgeUnreachable', message: `${missing}: ${trouble.message}` };
  if (refused) return { reason: 'PodsRejected', message: `${missing}: the API server rejected a Pod: ${refused}` };
  const { crashes, outdated, recentEnds = [] } = status ?? {};
  const refusedVersion = standing(outdated, runners, { image: spec.image, now });
  if (refusedVersion) {
    return { reason: 'RunnerOutdated', message: `${missing}: ${outdatedMessage(refusedVersion, version, now)}` };
  }
  if (crashes?.image === spec.image && now < Date.parse(crashes.retryAfter)) {
    const last = recentEnds.find(({ image }) => image === spec.image);
    const words = last ? `, most recently ${last.outcome} (${last.reason})` : '';
    const message = `${missing}: runners of this image ended without a job ${crashes.failures} times in a row${words}`;
    return { reason: 'CrashBackOff', message };
  }
  const tooLarge = whyTooLarge(macs, spec);
  if (tooLarge !== undefined) return { reason: 'Unschedulable', message: `${missing}: ${tooLarge}` };
  return fromPods(runners, missing);
}

/** Includes `unseen`: after a restart of the controller GitHub has not been queried yet. */
const ONLINE: ReadonlySet<PoolRunnerState> = new Set(['idle', 'busy', 'unseen']);

function fromPods(runners: readonly PoolRunner[], missing: string): ReadyVerdict {
  const words = (state: PoolRunnerState, of: (runner: PoolRunner) => string | undefined): readonly string[] =>
    runners.filter(runner => runner.state === state).flatMap(runner => of(runner) ?? []);
  const [place] = words('pending', ({ pod }) => pod && unschedulable(pod));
  if (place !== undefined) return { reason: 'Unschedulable', message: `${missing}: no VM slot is free: ${place}` };
  const [held] = words('starting', ({ pod }) => {
    const by = pod && blockedBy(pod);
    return by && `${pod.spec?.nodeName} reports ${by}`;
  });
  if (held !== undefined) return { reason: 'HostBlocked', message: `${missing}: ${held}` };
  const lost = runners.filter(({ state }) => state === 'lost').map(({ name }) => name);
  if (lost.length > 0)
    return { reason: 'RunnersOffline', message: `${missing}: GitHub reports ${lost.join(', ')} as offline` };
  return { reason: 'Starting', message: `${missing}: they are starting` };
}
