import { readFileSync } from 'node:fs';
import type { MetricDefinition } from '@minifleet/kube';
import type { FlagRow } from '@minifleet/kube/program';
import { gateFlags } from '@minifleet/provider/testing/fleet-gate';
import { providerFlags } from '@minifleet/provider/testing/program';
import { runnersFlags } from '@minifleet/runners/testing/program';
import { agentFlags } from '@minifleet/tart-kubelet/testing/agent';
import { agentMetricTable } from '@minifleet/tart-kubelet/testing/observe';

const INTRODUCTION = `<!-- Generated from the flags of each program by npm run generate. Do not edit. -->
# Flags

\`--help\` of each program prints the same information. The flags of the node agent are in [node agent](../node-agent.md#flags). Every program also has \`--help\` and \`--version\`.
`;

/** docs/reference/flags.md: the flags of the controller programs. */
export const flagsPage = (): string =>
  [
    INTRODUCTION,
    ...[providerFlags, gateFlags, runnersFlags].map(({ program, rows }) => `## ${program}\n\n${flagTable(rows)}\n`),
  ].join('\n');

/** docs/node-agent.md, with the current tables of the agent's flags and metrics. */
export function agentPage(): string {
  const page = readFileSync(new URL('../docs/node-agent.md', import.meta.url), 'utf8');
  return withTable(withTable(page, 'flags', flagTable(agentFlags.rows)), 'metrics', agentMetrics());
}

const flagTable = (rows: readonly FlagRow[]): string =>
  [
    '| Flag | Default | Description |\n|---|---|---|',
    ...rows.map(
      row =>
        `| \`${row.usage}\` | ${cell(row.default || (row.usage.includes('<') ? 'none' : 'off'))} | ${cell(row.help)} |`,
    ),
  ].join('\n');

const agentMetrics = (): string =>
  [
    '| Metric | Type | Labels | Description |\n|---|---|---|---|',
    ...Object.values(agentMetricTable).map(metricRow),
  ].join('\n');

export const metricRow = ({ name, type, labels, help }: MetricDefinition): string =>
  `| \`${name}\` | ${type} | ${labels.map(label => `\`${label}\``).join(', ')} | ${cell(help)} |`;

/** Escapes bars, which would end the cell, and placeholders, which would be HTML. */
const cell = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map(part => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')))
    .join('')
    .replaceAll('|', '\\|');

/** Replaces the table between `<!-- name: generated … -->` and `<!-- end -->`. */
export function withTable(page: string, name: string, table: string): string {
  const region = new RegExp(`(<!-- ${name}: generated [^>]*-->\n)[^]*?(<!-- end -->)`);
  if (!region.test(page)) throw new Error(`the comment "${name}: generated" is missing in the page`);
  return page.replace(region, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`);
}
