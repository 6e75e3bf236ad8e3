import type { ReasonOf, RunnerPool, runnerPoolConditions } from '@minifleet/api';
import type { CataloguedError } from '@minifleet/errors';
import { deleting } from '@minifleet/kube';
import { heldUpBy, unschedulable } from '../runner/pod-state.ts';
import type { Runner, RunnerState } from '../runner/runner.ts';

type ReadyReason = ReasonOf<typeof runnerPoolConditions, 'Ready'>;

export interface Why {
  readonly reason: ReadyReason;
  /** One sentence; empty when nothing is missing. */
  readonly message: string;
}

export interface WhyView {
  readonly pool: RunnerPool;
  readonly runners: readonly Runner[];
  readonly trouble: CataloguedError | undefined;
  /** What the API server said when it would not take a runner. */
  readonly refused: string | undefined;
  readonly now: number;
}

/** Why a job that comes now may have to wait: the first thing that is missing, in the order in which it would have to be mended. */
export function whyJobsWait(view: WhyView): Why {
  const { pool, runners, trouble, refused, now } = view;
  const { spec, status } = pool;
  if (deleting(pool)) return { reason: 'Deleting', message: 'the pool is being deleted' };
  if (spec.os !== 'darwin')
    return { reason: 'OSNotSupported', message: `pools of ${spec.os} are not run; set spec.os to darwin` };
  const online = runners.filter(({ state }) => ONLINE.has(state)).length;
  if (online >= spec.replicas) return { reason: 'Ready', message: '' };
  const missing = `${spec.replicas - online} of ${spec.replicas} runners are missing`;
  if (trouble) return { reason: 'ForgeTrouble', message: `${missing}: ${trouble.message}` };
  if (refused) return { reason: 'HeldUp', message: `${missing}: the API server takes no more of them: ${refused}` };
  const { crashes, recentEnds = [] } = status ?? {};
  if (crashes?.image === spec.image && now < Date.parse(crashes.retryAfter)) {
    const last = recentEnds.find(({ image }) => image === spec.image);
    const words = last ? `, the last one as ${last.outcome} (${last.reason})` : '';
    const message = `${missing}: those of this image ended without a job ${crashes.failures} times in a row${words}`;
    return { reason: 'CrashBackOff', message };
  }
  return fromPods(runners, missing);
}

/** `unseen` too: after a start of ours its forge has just not been asked yet. */
const ONLINE: ReadonlySet<RunnerState> = new Set(['idle', 'busy', 'unseen']);

function fromPods(runners: readonly Runner[], missing: string): Why {
  const words = (state: RunnerState, of: (runner: Runner) => string | undefined): readonly string[] =>
    runners.filter(runner => runner.state === state).flatMap(runner => of(runner) ?? []);
  const [place] = words('pending', ({ pod }) => pod && unschedulable(pod));
  if (place !== undefined) return { reason: 'NoPlace', message: `${missing}: no Mac has room: ${place}` };
  const [held] = words('starting', ({ pod }) => {
    const by = pod && heldUpBy(pod);
    return by && `${pod.spec?.nodeName} says ${by}`;
  });
  if (held !== undefined) return { reason: 'HeldUp', message: `${missing}: ${held}` };
  const lost = runners.filter(({ state }) => state === 'lost').map(({ name }) => name);
  if (lost.length > 0)
    return { reason: 'LostContact', message: `${missing}: the forge does not hear ${lost.join(', ')}` };
  return { reason: 'Starting', message: `${missing}: they are on their way` };
}
