/** Benchmark of the start of a whole cluster with cached binaries, compared with the smallest possible cluster. */
import { availableParallelism } from 'node:os';
import {
  COMPONENTS,
  type Component,
  createTerminalReporter,
  findBinaries,
  KUBERNETES_VERSION,
  startLocalCluster,
} from '@minifleet/local-cluster';
import type { Progress, Report } from '../benchmark.ts';
import { median } from '../report/percentile.ts';
import { formatNumber } from '../report/table.ts';
import { timeSteps } from './time-steps.ts';

const RUNS = 3;
const LEAST: readonly Component[] = ['etcd', 'kube-apiserver'];

interface ClusterStart {
  /** All in milliseconds. */
  readonly ready: number;
  readonly stopped: number;
  readonly steps: ReadonlyMap<string, number>;
}

export async function localClusterBenchmark(progress: Progress): Promise<Report> {
  // Downloads and builds happen once per machine and are not part of a start.
  await findBinaries({
    programs: [...COMPONENTS, 'capi-manifests'],
    reporter: createTerminalReporter({ output: process.stderr, now: Date.now }),
  });
  const all: ClusterStart[] = [];
  const least: ClusterStart[] = [];
  for (let run = 1; run <= RUNS; run++) {
    progress(`run ${run} of ${RUNS}`);
    all.push(await startOnce(COMPONENTS));
    least.push(await startOnce(LEAST));
  }
  return report(all, least);
}

async function startOnce(components: readonly Component[]): Promise<ClusterStart> {
  const { reporter, steps } = timeSteps();
  const startedAt = performance.now();
  const cluster = await startLocalCluster({ components, reporter });
  const readyAt = performance.now();
  await cluster.stop();
  return { ready: readyAt - startedAt, stopped: performance.now() - readyAt, steps };
}

function report(all: readonly ClusterStart[], least: readonly ClusterStart[]): Report {
  const titles = [...new Set(all.flatMap(start => [...start.steps.keys()]))];
  const figure = (of: (start: ClusterStart) => number) => ({ all: median(all.map(of)), least: median(least.map(of)) });
  const measured = [
    { measure: 'until everything is ready, ms', ...figure(start => start.ready) },
    ...titles.map(title => ({ measure: `${title}, ms`, ...figure(start => start.steps.get(title) ?? Number.NaN) })),
    { measure: 'until everything is stopped, ms', ...figure(start => start.stopped) },
  ];
  const cores = availableParallelism();
  return {
    header: [
      `local-cluster: start with cached binaries, all of ${COMPONENTS.join(', ')} compared with only ${LEAST.join(' and ')}`,
      `Node ${process.version}, Kubernetes ${KUBERNETES_VERSION}, ${cores} cores; median of ${RUNS} runs each, alternating; steps may overlap`,
    ],
    columns: ['measure', 'all components', LEAST.join(' + ')],
    rows: measured.map(row => [row.measure, formatNumber(row.all), formatNumber(row.least)]),
    figures: { environment: { node: process.version, kubernetes: KUBERNETES_VERSION, cores }, runs: RUNS, measured },
  };
}
