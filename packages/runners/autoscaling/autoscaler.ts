import { type RunnerPool, runnerPool } from '@minifleet/api';
import { type Clock, seconds, timestamp } from '@minifleet/clock';
import {
  againIn,
  type Cache,
  type Context,
  changedBesidesStatus,
  deleting,
  errorFields,
  keyOf,
  keyString,
  type Node,
  nodes,
  type ObjectKey,
  type Outcome,
  patchChanges,
  type Runtime,
  type Selection,
  settled,
} from '@minifleet/kube';
import {
  decide,
  isScaled,
  type LowDemand,
  nextScale,
  type PoolDemand,
  type ScalingDecision,
  sharesMacs,
} from './decide.ts';
import { fleetCapacity, macsOf } from './fleet-capacity.ts';

import type { SignalSource } from './signals.ts';

interface AutoscalerDeps {
  readonly clock: Clock;
  readonly source: SignalSource;
  /** Pools in scope. */
  readonly selection: Selection;
}

export interface Autoscaler {
  /** Last decision for every scaled pool. */
  readonly decisions: () => readonly ScalingDecision[];
}

interface Scaling extends AutoscalerDeps {
  readonly pools: Cache<RunnerPool>;
  readonly nodes: Cache<Node>;
  readonly decisions: Map<string, ScalingDecision>;
  readonly low: Map<string, LowDemand>;
  /** Pools whose demand was unavailable last time. */
  readonly unknown: Set<string>;
}

const EVERY = seconds(5);

/** Writes spec.replicas of autoscaled pools from their demand and the capacity of the Macs. */
export function addAutoscaler(runtime: Runtime, parts: AutoscalerDeps): Autoscaler {
  const scaling: Scaling = {
    ...parts,
    pools: runtime.informer(runnerPool.resource, parts.selection).cache,
    nodes: runtime.informer(nodes, {}).cache,
    decisions: new Map(),
    low: new Map(),
    unknown: new Set(),
  };
  runtime.add<RunnerPool>({
    name: 'runner-pool-autoscaler',
    resource: runnerPool.resource,
    selection: parts.selection,
    // A starting job triggers a decision at once, not at the next poll.
    wakeOn: (before, after) => changedBesidesStatus(before, after) || before.status?.busy !== after.status?.busy,
    reconcile: (context, key) => reconcileScale(context, key, scaling),
  });
  return { decisions: () => [...scaling.decisions.values()] };
}

async function reconcileScale(context: Context, key: ObjectKey, scaling: Scaling): Promise<Outcome> {
  const pool = scaling.pools.get(key);
  if (!pool || deleting(pool) || !isScaled(pool)) {
    forget(key, scaling);
    return settled();
  }
  const decision = await decisionOn(context, pool, scaling);
  if (decision) await follow(context, pool, { decision, scaling });
  return againIn(EVERY, 'the next scaling decision');
}

function forget(key: ObjectKey, { decisions, low, unknown }: Scaling): void {
  for (const known of [decisions, low, unknown]) known.delete(keyString(key));
}

/** Returns undefined if the demand is unavailable: replicas are kept, and the low-demand period restarts. */
async function decisionOn(context: Context, pool: RunnerPool, scaling: Scaling): Promise<ScalingDecision | undefined> {
  const { log, signal } = context;
  const key = keyString(keyOf(pool));
  try {
    const asking = { pool, signals: await scaling.source(pool, { signal }) };
    const decision = await amongOthers(context, asking, scaling);
    if (scaling.unknown.delete(key)) log.info({}, 'Scaling signal available again');
    scaling.decisions.set(key, decision);
    return decision;
  } catch (error) {
    signal.throwIfAborted();
    scaling.low.delete(key);
    if (!scaling.unknown.has(key)) log.warn(errorFields(error), 'Scaling signal unavailable; keeping replicas');
    scaling.unknown.add(key);
    return undefined;
  }
}

/** If the demand of another pool is unavailable, this pool does not wait for it. */
async function amongOthers({ signal }: Context, asking: PoolDemand, scaling: Scaling): Promise<ScalingDecision> {
  const { pool } = asking;
  const sharing = scaling.pools.list().filter(other => !deleting(other) && sharesMacs(pool)(other));
  const answers = await Promise.allSettled(
    sharing.filter(isScaled).map(async other => ({ pool: other, signals: await scaling.source(other, { signal }) })),
  );
  const demands = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (demands.length < answers.length) return decide(asking, [asking], undefined);
  // Pools without autoscaling keep their replicas.
  const fixed = sharing.filter(other => !isScaled(other)).reduce((sum, { spec }) => sum + spec.replicas, 0);
  const { slots } = fleetCapacity(macsOf(pool, scaling.nodes.list()), pool.spec);
  return decide(asking, demands, slots === 0 ? undefined : Math.max(0, slots - fixed));
}

async function follow(
  context: Context,
  pool: RunnerPool,
  { decision, scaling }: { readonly decision: ScalingDecision; readonly scaling: Scaling },
): Promise<void> {
  const key = keyString(keyOf(pool));
  const { replicas, low } = nextScale({
    now: scaling.clock.now(),
    replicas: pool.spec.replicas,
    wanted: decision.allocated,
    low: scaling.low.get(key),
    cooldown: seconds(pool.spec.autoscaling.scaleDownCooldownSeconds),
  });
  if (low) scaling.low.set(key, low);
  else scaling.low.delete(key);
  if (replicas !== pool.spec.replicas) await scale(context, pool, { replicas, decision });
}

async function scale(
  { client, clock, events, log }: Context,
  pool: RunnerPool,
  { replicas, decision }: { readonly replicas: number; readonly decision: ScalingDecision },
): Promise<void> {
  const down = replicas < pool.spec.replicas;
  const status = down ? { status: { ...pool.status, lastScaleDownAt: timestamp(clock.now()) } } : {};
  const scaled = { ...pool, spec: { ...pool.spec, replicas }, ...status };
  await patchChanges({ client, resource: runnerPool.resource }, pool, scaled as RunnerPool);
  const note = `from ${pool.spec.replicas} to ${replicas} runners: ${decision.load} needed by jobs, ${decision.target} desired, ${decision.allocated} allocated in fleet ${pool.spec.fleetSelector}`;
  log.info({ replicas, load: decision.load, target: decision.target, allocated: decision.allocated }, 'Pool scaled');
  events.record({
    regarding: pool,
    type: 'Normal',
    reason: down ? 'ScaledDown' : 'ScaledUp',
    action: 'Scale',
    note,
  });
}
