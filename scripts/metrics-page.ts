import { relative } from 'node:path';
import { type Alert, type MetricDefinition, runbookOf } from '@minifleet/kube';
import { alerts } from '../packages/provider/observe/alerts.ts';
import { providerMetricTable } from '../packages/provider/observe/metric-table.ts';
import { runnersAlerts } from '../packages/runners/observe/alerts.ts';
import { runnersMetricTable } from '../packages/runners/observe/metric-table.ts';

const INTRODUCTION = `<!-- Generated from packages/provider/observe and packages/runners/observe by npm run generate. Do not edit. -->
# Metrics and alerts

At \`/metrics\` of \`--bind-address\` of each program, beside the metrics of its controllers and its client under controller-runtime's and client-go's names. Those of the node agent: [node agent](../node-agent.md).

What is a state is read from the caches at each scrape: a machine has one series of \`minifleet_machine_phase\`, and none once it is gone. Every replica shows it; what only the leader knows (hosts, sweeps, runs; passes over pools, decisions on their size) the others show as nothing or 0. So group before you compare: \`max by (namespace, machine) (…)\`.

Every alert has a runbook; its name leads there.
`;

interface ProgramMetrics {
  readonly title: string;
  readonly definitions: readonly MetricDefinition[];
  readonly alerts: readonly Alert[];
  readonly rules: string;
}

const PROGRAMS: readonly ProgramMetrics[] = [
  {
    title: 'The provider',
    definitions: Object.values(providerMetricTable),
    alerts,
    rules: 'config/prometheus/minifleet-rules.yaml',
  },
  {
    title: 'The runners program',
    definitions: Object.values(runnersMetricTable),
    alerts: runnersAlerts,
    rules: 'config/prometheus/minifleet-runners-rules.yaml',
  },
];

/** docs/reference/metrics.md: every metric of our programs, every alert and where its runbook is. */
export const metricsPage = (): string => [INTRODUCTION, ...PROGRAMS.map(part), ''].join('\n');

const part = ({ title, definitions, alerts: all, rules }: ProgramMetrics): string =>
  [
    `## ${title}\n`,
    '| metric | type | labels | |\n|---|---|---|---|',
    ...definitions.map(
      ({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${labels.map(code).join(', ')} | ${help} |`,
    ),
    `\nRules for Prometheus: \`${rules}\`.\n`,
    '| alert | severity | fires when this holds for | |\n|---|---|---|---|',
    ...all.map(
      alert =>
        `| [${alert.name}](${relative('docs/reference', runbookOf(alert))}) | ${alert.severity} | ${alert.for} | ${code(alert.expr)} |`,
    ),
    '',
  ].join('\n');

/** A bar would end the cell, also within code. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
