/** GET /metrics/resource: the source of `kubectl top` and autoscalers. */
import type { GuestSample, ResourceSamples, ResourceUsage } from './samples.ts';

interface MetricPoint {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly at: number | undefined;
}

interface MetricSeries {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly points: readonly MetricPoint[];
}

/** Each sample has the time of its measurement, so that scrapers compute correct rates. */
export function renderResourceMetrics({ node, guests }: ResourceSamples): string {
  const nodes = node ? [node] : [];
  const container = (guest: GuestSample) => ({
    container: guest.container,
    namespace: guest.namespace,
    pod: guest.pod,
  });
  const pod = (guest: GuestSample) => ({ namespace: guest.namespace, pod: guest.pod });
  const [cpu, memory] = ['Cumulative cpu time consumed by the', 'Current working set in bytes of the'];
  const series: MetricSeries[] = [
    counter('container_cpu_usage_seconds_total', `${cpu} container in core-seconds`, points(guests, container, cpuOf)),
    gauge('container_memory_working_set_bytes', `${memory} container`, points(guests, container, memoryOf)),
    gauge(
      'container_start_time_seconds',
      'Start time of the container since unix epoch in seconds',
      points(guests, container, startOf),
    ),
    counter(
      'node_cpu_usage_seconds_total',
      `${cpu} node in core-seconds`,
      points(nodes, () => ({}), cpuOf),
    ),
    gauge(
      'node_memory_working_set_bytes',
      `${memory} node`,
      points(nodes, () => ({}), memoryOf),
    ),
    counter('pod_cpu_usage_seconds_total', `${cpu} pod in core-seconds`, points(guests, pod, cpuOf)),
    gauge('pod_memory_working_set_bytes', `${memory} pod`, points(guests, pod, memoryOf)),
    gauge('resource_scrape_error', '1 if there was an error while getting container metrics, 0 otherwise', [
      { labels: {}, value: node ? 0 : 1, at: undefined },
    ]),
  ];
  return series
    .filter(one => one.points.length > 0)
    .map(renderSeries)
    .join('');
}

const counter = (name: string, help: string, of: readonly MetricPoint[]): MetricSeries => ({
  name,
  type: 'counter',
  help,
  points: of,
});
const gauge = (name: string, help: string, of: readonly MetricPoint[]): MetricSeries => ({
  name,
  type: 'gauge',
  help,
  points: of,
});

const cpuOf = (usage: ResourceUsage): number => usage.cpuSeconds;
const memoryOf = (usage: ResourceUsage): number => usage.workingSetBytes;
const startOf = (guest: GuestSample): number => guest.startedAt / 1_000;

const points = <T extends ResourceUsage>(
  samples: readonly T[],
  labels: (of: T) => Record<string, string>,
  value: (of: T) => number,
): MetricPoint[] => samples.map(sample => ({ labels: labels(sample), value: value(sample), at: sample.at }));

function renderSeries({ name, type, help, points: all }: MetricSeries): string {
  const lines = all.map(({ labels, value, at }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${quoted(text)}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}${at === undefined ? '' : ` ${Math.round(at)}`}\n`;
  });
  return `# HELP ${name} [STABLE] ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
