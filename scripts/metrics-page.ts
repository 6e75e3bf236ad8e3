import { relative } from 'node:path';
import { alerts, runbookOf } from '../packages/provider/observe/alerts.ts';
import { type MetricDefinition, providerMetricTable } from '../packages/provider/observe/metric-table.ts';

const INTRODUCTION = `<!-- Generated from packages/provider/observe by npm run generate. Do not edit. -->
# Metrics and alerts of the provider

At \`/metrics\` of \`--bind-address\`, beside the metrics of its controllers and its client under controller-runtime's and client-go's names. Those of the node agent: [node agent](../node-agent.md).

What is a state is read from the caches at each scrape: a machine has one series of \`minifleet_machine_phase\`, and none once it is gone. Every replica shows it; what only the leader knows (hosts, sweeps, runs) the others show as nothing or 0. So group before you compare: \`max by (namespace, machine) (…)\`.
`;

const definitions: readonly MetricDefinition[] = Object.values(providerMetricTable);

/** docs/reference/metrics.md: every metric of the provider, every alert and where its runbook is. */
export const metricsPage = (): string =>
  [
    INTRODUCTION,
    '| metric | type | labels | |\n|---|---|---|---|',
    ...definitions.map(
      ({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${labels.map(code).join(', ')} | ${help} |`,
    ),
    '\n## Alerts\n\nRules for Prometheus: `config/prometheus/minifleet-rules.yaml`.\n',
    '| alert | severity | fires when this holds for | |\n|---|---|---|---|',
    ...alerts.map(
      alert =>
        `| [${alert.name}](${relative('docs/reference', runbookOf(alert))}) | ${alert.severity} | ${alert.for} | ${code(alert.expr)} |`,
    ),
    '',
  ].join('\n');

/** A bar would end the cell, also within code. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
