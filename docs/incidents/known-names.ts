import { globSync, readFileSync } from 'node:fs';
import { hostPlan } from '@minifleet/host';
import { fullSpec } from '../../packages/host/plan/testing/full-spec.ts';
import { providerMetricTable } from '../../packages/provider/observe/metric-table.ts';
import { HELP as PROVIDER } from '../../packages/provider/program/flags.ts';
import { runnersMetricTable } from '../../packages/runners/observe/metric-table.ts';
import { HELP as RUNNERS } from '../../packages/runners/program/flags.ts';
import { HELP as AGENT } from '../../packages/tart-kubelet/agent/flags.ts';
import { createAgentMetrics } from '../../packages/tart-kubelet/observe/agent-metrics.ts';

/** The names a page may use, by what they name. */
export interface KnownNames {
  /** Conditions, reasons, events, alerts, kinds: whatever our programs write as a word of its own. */
  readonly words: ReadonlySet<string>;
  readonly errorCodes: ReadonlySet<string>;
  readonly metrics: ReadonlySet<string>;
  readonly steps: ReadonlySet<string>;
  /** Texts that have every flag and every command. */
  readonly help: string;
}

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** What ships, and nothing that only tests it. */
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
    words: found(texts, /'([A-Z]\w+)'|^\s+([A-Z]\w+):/gm),
    errorCodes: found(texts, /defineError\('(\w+)'/g),
    metrics: new Set([...tables, ...agent].map(({ name }) => name)),
    steps: new Set(hostPlan(fullSpec).steps.map(({ id }) => id)),
    help: [PROVIDER, RUNNERS, AGENT, read('docs/reference/cli.md')].join('\n'),
  };
}

const found = (texts: readonly string[], pattern: RegExp): ReadonlySet<string> =>
  new Set(texts.flatMap(text => [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? '')));
