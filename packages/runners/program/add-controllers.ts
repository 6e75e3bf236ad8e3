import { names, runnerPool } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { githubResolver } from '@minifleet/forges';
import { defined, nodes, pods, secrets } from '@minifleet/kube';
import type { ProgramDeps } from '@minifleet/kube/program';
import { addAutoscaler } from '../autoscaling/autoscaler.ts';
import type { RunnersMetrics } from '../observe/runners-metrics.ts';
import { createStarts } from '../observe/starts.ts';
import { createVacancies } from '../observe/vacancies.ts';
import { addRunnerPools } from '../pool/pool-controller.ts';
import type { RunnersFlags } from './flags.ts';
import { scalingSource } from './scaling-source.ts';

/** Dependencies of the program's controllers. */
export interface RunnersDeps extends ProgramDeps {
  readonly clock: Clock;
  readonly flags: RunnersFlags;
  readonly metrics: RunnersMetrics;
  readonly random: (bytes: number) => Uint8Array;
}

/** Adds every controller to the runtime, and connects the metrics to their state. */
export function addControllers(deps: RunnersDeps): void {
  const { client, clock, flags, log, metrics, random, redactor, runtime, sources } = deps;
  const selection = defined({ namespace: flags.namespace });
  const observer = { onCall: metrics.forgeCalled, redactor };
  const resolver = githubResolver({ clock, observer, ...defined({ apiUrl: flags.forgeApiUrl }) });
  const { figures } = addRunnerPools(runtime, {
    ...{ client, clock, random, log, events: runtime.events, resolver, settings: flags },
    onPass: () => metrics.passed(),
  });
  const source = scalingSource({ url: flags.scalingSignalsUrl, clock, sources, onAsked: metrics.signalsAsked });
  const { decisions } = addAutoscaler(runtime, { clock, source, selection });
  const pools = runtime.informer(runnerPool.resource, selection).cache;
  const macs = runtime.informer(nodes, {}).cache;
  const ofRunners = { ...selection, labelSelector: `${names.labels.runner}=true` };
  const runners = runtime.informer(pods, ofRunners);
  runners.subscribe(
    createVacancies({ clock, wanted: key => pools.get(key)?.spec.replicas ?? 0, onFilled: metrics.replaced }),
  );
  runtime.informer(secrets, ofRunners).subscribe(createStarts(metrics.started));
  metrics.follow({
    ...{ clock, stuckAfter: flags.stuckAfter, figures, decisions },
    pools: () => pools.list(),
    pods: () => runners.cache.list(),
    node: name => macs.get({ name }),
    nodes: () => macs.list(),
  });
}
