import { globSync, readFileSync } from 'node:fs';
import { hostPlan } from '@minifleet/host';
import { fullSpec } from '@minifleet/host/testing/plan';
import { providerMetricTable } from '@minifleet/provider/testing/observe';
import { providerFlags } from '@minifleet/provider/testing/program';
import { runnersMetricTable } from '@minifleet/runners/testing/observe';
import { runnersFlags } from '@minifleet/runners/testing/program';
import { agentFlags } from '@minifleet/tart-kubelet/testing/agent';
import { agentMetricTable } from '@minifleet/tart-kubelet/testing/observe';

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
  const tables = [providerMetricTable, runnersMetricTable, agentMetricTable].flatMap(table => Object.values(table));
  return {
    words: matchesIn(texts, /'([A-Z]\w+)'|^\s+([A-Z]\w+):/gm),
    errorCodes: matchesIn(texts, /defineError\('(\w+)'/g),
    metrics: new Set(tables.map(({ name }) => name)),
    steps: new Set(hostPlan(fullSpec).steps.map(({ id }) => id)),
    help: [providerFlags.help, runnersFlags.help, agentFlags.help, read('docs/reference/cli.md')].join('\n'),
  };
}

const matchesIn = (texts: readonly string[], pattern: RegExp): ReadonlySet<string> =>
  new Set(texts.flatMap(text => [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? '')));
