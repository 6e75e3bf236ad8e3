import { globSync, readFileSync } from 'node:fs';
import { hostPlan } from '@minifleet/host';
import { fullSpec } from '../../packages/host/plan/testing/full-spec.ts';
import { providerMetricTable } from '../../packages/provider/observe/metric-table.ts';
import { HELP as PROVIDER } from '../../packages/provider/program/flags.ts';
import { runnersMetricTable } from '../../packages/runners/observe/metric-table.ts';
import { HELP as RUNNERS } from '../../packages/runners/program/flags.ts';
import { HELP as AGENT } from '../../packages/tart-kubelet/agent/flags.ts';
import { createAgentMetrics } from '../../packages/tart-kubelet/observe/agent-metrics.ts';

/** Names that exist in the code, by type. */
export interface KnownNames {
  /** Conditions, reasons, events, alerts and resource types. */
  readonly words: ReadonlySet<string>;
  readonly errorCodes: ReadonlySet<string>;
  readonly metrics: ReadonlySet<string>;
  readonly steps: ReadonlySet<string>;
  /** Help texts with every flag and command. */
  readonly help: string;
}

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Reads the shipped source files, without tests and test support. */
function sources(): readonly string[] {
  const skipped = /node_modules|\.test\.ts$|\.contract\.ts$|\/testing\/|^packages\/world\//;
  return globSync('packages/**/*.ts', { cwd: root, exclude: path => path.includes('node_modules') })
    .filter(path => !skipped.test(path))
    .map(read);
}

export async function knownNames(): Promise<KnownNames> {
  const texts = sources();
  const agent = await createAgentMetrics().kube.registry.getMetricsAsJSON();
  const tables = [providerMetricTable, runnersMetricTable].flatMap(table => Object.values(table));
  return {
    words: matchesIn(texts, /'([A-Z]\w+)'|^\s+([A-Z]\w+):/gm),
    errorCodes: matchesIn(texts, /defineError\('(\w+)'/g),
    metrics: new Set([...tables, ...agent].map(({ name }) => name)),
    steps: new Set(hostPlan(fullSpec).steps.map(({ id }) => id)),
    help: [PROVIDER, RUNNERS, AGENT, read('docs/reference/cli.md')].join('\n'),
  };
}

const matchesIn = (texts: readonly string[], pattern: RegExp): ReadonlySet<string> =>
  new Set(texts.flatMap(text => [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? '')));
