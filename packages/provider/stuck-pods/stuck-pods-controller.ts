import { isHeldForVM, judgeStuckPod, names, releaseReasons, type StuckPodDecision, stuckCauses } from '@minifleet/api';
import { type Clock, type Duration, milliseconds, minutes } from '@minifleet/clock';
import {
  againIn,
  type Context,
  deleting,
  type IndexBy,
  keyOf,
  mapped,
  type Node,
  nodes,
  type ObjectKey,
  type Outcome,
  type Pod,
  pods,
  type Runtime,
  removeFinalizer,
  settled,
  waitForWatch,
} from '@minifleet/kube';
import { createStuckTally, type StuckReport, type StuckTally } from './stuck-report.ts';

interface StuckPodsOptions {
  readonly clock: Clock;
  readonly stuckAfter: Duration;
  /** Called after each reconcile of a Pod that is being deleted. */
  readonly onReport: (report: StuckReport) => void;
}

interface StuckPodsDeps extends StuckPodsOptions {
  readonly tally: StuckTally;
  readonly missing: MissingNodes;
}

const BY_NODE = 'deleted-pod-node';

/** Only Pods that are being deleted, so that a Node heartbeat triggers no other reconcile. */
const deletedOn: IndexBy<Pod> = pod => (deleting(pod) ? [pod.spec?.nodeName ?? ''] : []);

/**
 * Removes the finalizer of the previous agent from Pods (B2), and reports Pods that are stuck. It watches all Pods: no selector matches a
 * finalizer or a deletion, and of a deleted Node only its Pods are left.
 */
export function addStuckPodsController(runtime: Runtime, options: StuckPodsOptions): void {
  const parts = { ...options, tally: createStuckTally(), missing: createMissingNodes(options.clock) };
  const all = runtime.informer(pods, {});
  all.addIndex(BY_NODE, deletedOn);
  runtime.informer(nodes, {}).subscribe(({ type, object }) => {
    if (type !== 'deleted') parts.missing.found(object.metadata.name);
  });
  runtime.add<Pod>({
    name: 'stuck-pods',
    resource: pods,
    selection: {},
    watches: [mapped(nodes, ({ metadata }) => all.cache.by(BY_NODE, metadata.name).map(keyOf), {})],
    // The agent reports a finished Pod in the status.
    wakeOn: (_, pod) => deleting(pod),
    reconcile: (context, key) => reconcilePod(context, key, parts),
  });
}

async function reconcilePod(context: Context, key: ObjectKey, parts: StuckPodsDeps): Promise<Outcome> {
  const pod = context.cache(pods).get(key);
  try {
    if (pod && deleting(pod)) return await actOn(context, pod, parts);
    parts.tally.forget(key);
    return settled();
  } finally {
    parts.onReport(parts.tally.report());
  }
}

async function actOn(context: Context, pod: Pod, parts: StuckPodsDeps): Promise<Outcome> {
  const node = await nodeOf(context, pod);
  const verdict = judgeStuckPod({ pod, node, now: context.clock.now(), stuckAfter: parts.stuckAfter });
  switch (verdict.kind) {
    case 'release':
      return release(context, pod, { ...parts, verdict });
    case 'stuck':
      return reportStuck(context, pod, { ...parts, verdict });
    case 'keep':
      if (verdict.why !== 'Terminating') {
        parts.tally.forget(keyOf(pod));
        return settled();
      }
      parts.tally.note(keyOf(pod), verdict);
      return againIn(timeLeft(pod, parts), 'the Pod may still terminate in time');
  }
}

/** Bypasses the cache for an unknown Node, because it may have just joined. */
async function nodeOf({ cache, client, signal }: Context, pod: Pod): Promise<Node | undefined> {
  const name = pod.spec?.nodeName;
  if (!name) return undefined;
  const cached = cache(nodes).get({ name });
  return cached || !isHeldForVM(pod) ? cached : client.find(nodes, { name }, { signal });
}

type StuckPodStep<Kind> = StuckPodsDeps & { readonly verdict: Extract<StuckPodDecision, { readonly kind: Kind }> };

/** Removes only that finalizer, and only from the version that was judged; a concurrent change causes a conflict and another reconcile. */
async function release(
  context: Context,
  pod: Pod,
  { tally, missing, verdict }: StuckPodStep<'release'>,
): Promise<Outcome> {
  const { client, events, log } = context;
  const node = pod.spec?.nodeName ?? '';
  const wait = verdict.why === 'NodeGone' ? missing.left(node) : milliseconds(0);
  if (wait > 0) {
    tally.note(keyOf(pod), verdict);
    return againIn(wait, `the Node ${node} is missing; waiting because it may return`);
  }
  await removeFinalizer({ client, resource: pods }, pod, names.finalizers.vmCleanup);
  tally.forget(keyOf(pod));
  tally.countRelease();
  log.info({ why: verdict.why, node }, 'Finalizer of previous agent removed from Pod');
  const note = `removed the finalizer of the previous agent: ${releaseReasons[verdict.why]}`;
  events.record({ regarding: pod, type: 'Normal', reason: 'VMCleanupReleased', action: 'Release', note });
  return settled();
}

function reportStuck({ events }: Context, pod: Pod, { tally, verdict }: StuckPodStep<'stuck'>): Outcome {
  const { cause } = verdict;
  if (!tally.isKnown(keyOf(pod), cause)) {
    const note = stuckCauses[cause];
    events.record({ regarding: pod, type: 'Warning', reason: 'StuckTerminating', action: 'Release', note });
  }
  tally.note(keyOf(pod), verdict);
  return waitForWatch(cause);
}

/** One millisecond more, so that the time has passed. */
const timeLeft = ({ metadata }: Pod, { clock, stuckAfter }: StuckPodsDeps): Duration =>
  milliseconds(Math.max(1, Date.parse(metadata.deletionTimestamp ?? '') + stuckAfter - clock.now() + 1));

/**
 * Time until a missing Node counts as deleted. An agent whose Node is deleted by hand registers it again within seconds,
 * with its VMs running (I37). Kubernetes itself waits 40 s before it collects the Pods of a missing Node.
 */
const GONE_AFTER = minutes(1);

/** Tracks since when Nodes are missing. A new process starts again, which only delays the release. */
interface MissingNodes {
  /** Time until the Node counts as deleted; 0 if it does already. */
  left(name: string): Duration;
  found(name: string): void;
}

function createMissingNodes(clock: Clock): MissingNodes {
  const since = new Map<string, number>();
  return {
    left(name) {
      const first = since.get(name) ?? clock.now();
      since.set(name, first);
      return Math.max(0, first + GONE_AFTER - clock.now()) as Duration;
    },
    found: name => void since.delete(name),
  };
}
