import { relative } from 'node:path';
import { type Alert, type MetricDefinition, runbookOf } from '@minifleet/kube';
import { alerts, providerMetricTable } from '@minifleet/provider/testing/observe';
import { runnersAlerts, runnersMetricTable } from '@minifleet/runners/testing/observe';
import { metricRow } from './flags-page.ts';

const INTRODUCTION = `<!-- Generated from packages/provider/observe and packages/runners/observe by npm run generate. Do not edit. -->
# Metrics and alerts

Each program serves \`/metrics\` on its \`--bind-address\`. It also serves the metrics of controllers and API clients with the names of controller-runtime and client-go. The metrics of the node agent are in [node agent](../node-agent.md#metrics).

Gauges of cluster state are computed from the caches at each scrape. A machine has one series of \`minifleet_machine_phase\`, and none after its deletion. Every replica serves these gauges. Only the leader has values for hosts, sweeps, host jobs, pool reconciles and scaling decisions; other replicas serve no series or 0. Aggregate before you compare values: \`max by (namespace, machine) (…)\`.

Every alert links to its runbook.
`;

interface ProgramMetrics {
  readonly title: string;
  readonly definitions: readonly MetricDefinition[];
  readonly alerts: readonly Alert[];
  readonly rules: string;
}

const PROGRAMS: readonly ProgramMetrics[] = [
  {
    title: 'minifleet-provider',
    definitions: Object.values(providerMetricTable),
    alerts,
    rules: 'config/prometheus/minifleet-rules.yaml',
  },
  {
    title: 'minifleet-runners',
    definitions: Object.values(runnersMetricTable),
    alerts: runnersAlerts,
    rules: 'config/prometheus/minifleet-runners-rules.yaml',
  },
];

/** docs/reference/metrics.md: every metric and alert of the controller programs, with links to the runbooks. */
export const metricsPage = (): string => [INTRODUCTION, ...PROGRAMS.map(part), ''].join('\n');

const part = ({ title, definitions, alerts: all, rules }: ProgramMetrics): string =>
  [
    `## ${title}\n`,
    '| Metric | Type | Labels | Description |\n|---|---|---|---|',
    ...definitions.map(metricRow),
    `\nPrometheus rules: \`${rules}\`.\n`,
    '| Alert | Severity | For | Expression |\n|---|---|---|---|',
    ...all.map(
      alert =>
        `| [${alert.name}](${relative('docs/reference', runbookOf(alert))}) | ${alert.severity} | ${alert.for} | ${code(alert.expr)} |`,
    ),
    '',
  ].join('\n');

/** A bar would end the table cell, even inside code. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
