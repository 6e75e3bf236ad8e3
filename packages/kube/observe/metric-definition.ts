import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** One metric of a program as data: the page of metrics and the check of the alerts read it, too. */
export interface MetricDefinition<L extends string = string> {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

/** What a table of metrics is written with; every name gets the prefix. */
export function metricsNamed(prefix: string) {
  const of =
    (type: MetricDefinition['type']) =>
    <L extends string>(name: string, help: string, labels: readonly L[] = []): MetricDefinition<L> => ({
      type,
      name: `${prefix}${name}`,
      help,
      labels,
    });
  return { gauge: of('gauge'), counter: of('counter'), histogram: of('histogram') };
}

/** Makes the metrics of a table in one registry. */
export function metricsIn(registry: Registry) {
  const given = <L extends string>({ name, help, labels }: MetricDefinition<L>) => ({
    name,
    help,
    labelNames: labels,
    registers: [registry],
  });
  return {
    gauge: <L extends string>(definition: MetricDefinition<L>) => new Gauge(given(definition)),
    counter: <L extends string>(definition: MetricDefinition<L>) => new Counter(given(definition)),
    histogram: <L extends string>(definition: MetricDefinition<L>, buckets: number[]) =>
      new Histogram({ ...given(definition), buckets }),
  };
}
