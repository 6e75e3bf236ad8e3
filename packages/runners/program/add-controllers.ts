import { names, runnerPool } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { githubResolver } from '@minifleet/forges';
import { defined, type Log, nodes, type ProgramParts, pods, secrets } from '@minifleet/kube';
import type { Redactor } from '@minifleet/secret';
import { addAutoscaler } from '../autoscaling/autoscaler.ts';
import type { RunnersMetrics } from '../observe/runners-metrics.ts';
import { createStarts } from '../observe/starts.ts';
import { createVacancies } from '../observe/vacancies.ts';
import { addRunnerPools } from '../pool/pool-controller.ts';
import type { Flags } from './flags.ts';
import { scalingSource } from './scaling-source.ts';
import { settingsFrom } from './settings-from.ts';

/** All the controllers know of the program around them. */
export interface Program extends ProgramParts {
  readonly clock: Clock;
  readonly flags: Flags;
  readonly log: Log;
  readonly metrics: RunnersMetrics;
  readonly random: (bytes: number) => Uint8Array;
  readonly redactor: Pick<Redactor, 'learn'>;
}

/** Puts every controller into the runtime, and lets the metrics look at what they know. */
export function addControllers(program: Program): void {
  const { client, clock, flags, log, metrics, random, redactor, runtime, sources } = program;
  const settings = settingsFrom(flags);
  const selection = defined({ namespace: flags.namespace });
  const observer = { onCall: metrics.forgeCalled, redactor };
  const resolver = githubResolver({ clock, observer, ...defined({ apiUrl: flags.forgeApiUrl }) });
  const { figures } = addRunnerPools(runtime, {
    ...{ client, clock, random, log, events: runtime.events, resolver, settings },
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
    ...{ clock, stuckAfter: flags.terminatingAfter, figures, decisions },
    pools: () => pools.list(),
    pods: () => runners.cache.list(),
    node: name => macs.get({ name }),
    nodes: () => macs.list(),
  });
}
