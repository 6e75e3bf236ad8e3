/** `npm run benchmark -- <name>`: runs one benchmark, prints its table and one line of JSON. */
import { agentBenchmark } from './agent/agent-benchmark.ts';
import type { Benchmark } from './benchmark.ts';
import { cliBenchmark } from './cli/cli-benchmark.ts';
import { hostBenchmark } from './host/host-benchmark.ts';
import { kubeBenchmark } from './kube/kube-benchmark.ts';
import { localClusterBenchmark } from './local-cluster/local-cluster-benchmark.ts';
import { discoveryBenchmark } from './provider/discovery/discovery-benchmark.ts';
import { providerBenchmark } from './provider/provider-benchmark.ts';
import { formatTable } from './report/table.ts';
import { runnersBenchmark } from './runners/runners-benchmark.ts';
import { worldBenchmark } from './world/world-benchmark.ts';

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  agent: agentBenchmark,
  cli: cliBenchmark,
  discovery: discoveryBenchmark,
  host: hostBenchmark,
  kube: kubeBenchmark,
  'local-cluster': localClusterBenchmark,
  provider: providerBenchmark,
  runners: runnersBenchmark,
  world: worldBenchmark,
};

const WRONG_USE = 2;

async function main([name, ...argv]: readonly string[]): Promise<void> {
  const benchmark = name === undefined || !Object.hasOwn(BENCHMARKS, name) ? undefined : BENCHMARKS[name];
  if (!benchmark) {
    const problem = name === undefined ? 'no benchmark given' : `unknown benchmark "${name}"`;
    console.error(`benchmark: ${problem}; run: npm run benchmark -- ${Object.keys(BENCHMARKS).join('|')}`);
    process.exitCode = WRONG_USE;
    return;
  }
  const report = await benchmark(text => console.error(`… ${text}`), argv);
  console.log([...report.header, '', formatTable(report.columns, report.rows), ''].join('\n'));
  console.log(JSON.stringify({ benchmark: name, ...report.figures }));
}

await main(process.argv.slice(2));
