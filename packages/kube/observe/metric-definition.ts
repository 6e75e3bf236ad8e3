import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

type MetricType = 'gauge' | 'counter' | 'histogram';

/** One metric as data. The metrics page and the check of the alerts read the same table. */
export interface MetricDefinition<L extends string = string, T extends MetricType = MetricType> {
  readonly type: T;
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

type MetricTable = Readonly<Record<string, MetricDefinition>>;

/** Returns functions that define the metrics of a table. Every name gets the prefix. */
export function metricsNamed(prefix: string) {
  const definer =
    <T extends MetricType>(type: T) =>
    <L extends string = never>(name: string, help: string, labels: readonly L[] = []): MetricDefinition<L, T> => ({
      type,
      name: `${prefix}${name}`,
      help,
      labels,
    });
  const histogram = <L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    buckets: readonly number[],
  ): MetricDefinition<L, 'histogram'> => ({ ...definer('histogram')(name, help, labels), buckets });
  return { gauge: definer('gauge'), counter: definer('counter'), histogram };
}

type MetricOf<D> =
  D extends MetricDefinition<infer L, infer T>
    ? { readonly gauge: Gauge<L>; readonly counter: Counter<L>; readonly histogram: Histogram<L> }[T]
    : never;

/** Metrics of a table, by the table's keys. */
export type RegisteredMetrics<T extends MetricTable> = { readonly [K in keyof T]: MetricOf<T[K]> };

/** Registers every metric of a table. */
export function registerMetrics<T extends MetricTable>(registry: Registry, table: T): RegisteredMetrics<T> {
  const registered = Object.entries(table).map(([key, definition]) => [key, metricOf(registry, definition)]);
  return Object.fromEntries(registered) as RegisteredMetrics<T>;
}

function metricOf(registry: Registry, { type, name, help, labels, buckets = [] }: MetricDefinition) {
  const options = { name, help, labelNames: labels, registers: [registry] };
  if (type === 'gauge') return new Gauge(options);
  if (type === 'counter') return new Counter(options);
  return new Histogram({ ...options, buckets: [...buckets] });
}
