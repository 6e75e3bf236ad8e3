import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { ProgramProcess } from '../../e2e/testing/program-process.ts';
import { findFreePorts } from '../../packages/local-cluster/free-ports.ts';
import { readProcessUsage } from '../agent/host/processes.ts';
import { type MetricSample, parseMetrics, sumOf } from '../provider/measure/metrics-page.ts';

/** What a program has done since its start. */
export interface ProgramReading {
  /** Milliseconds on a clock that never goes back. */
  readonly at: number;
  readonly processorSeconds: number;
  readonly megabytes: number;
  readonly peakMegabytes: number;
  /** Sent to the API server, opened watches included. */
  readonly requests: number;
}

/** A program as a process of its own, and what it says of itself. */
export interface MeteredProgram<Own extends object> extends AsyncDisposable, Pick<ProgramProcess, 'log'> {
  read(): Promise<ProgramReading & Own>;
}

export interface MeteredProgramOptions<Own extends object> {
  /** For errors. */
  readonly name: string;
  readonly start: (flags: readonly string[]) => ProgramProcess;
  /** What it counts besides. */
  readonly figures: (samples: readonly MetricSample[]) => Own;
}

/** Ready when all its caches are full. Without leader election: renewing a lease costs the same whatever the fleet. */
export async function startMeteredProgram<Own extends object>(
  options: MeteredProgramOptions<Own>,
): Promise<MeteredProgram<Own>> {
  const { name, start, figures } = options;
  const [port = 0] = await findFreePorts(1);
  const program = start([`--bind-address=127.0.0.1:${port}`]);
  const ask = async (path: string): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.text();
  };
  try {
    await eventually(() => ask('/readyz'), { deadline: seconds(60), what: `the ${name} is ready` });
  } catch (error) {
    await program.stop();
    throw new Error(`the ${name} did not start: ${program.log().slice(-2_000)}`, { cause: error });
  }
  return {
    log: () => program.log(),
    async read() {
      const samples = parseMetrics(await ask('/metrics'));
      return { ...useOf(program.pid), requests: sumOf(samples, 'rest_client_requests_total'), ...figures(samples) };
    },
    async [Symbol.asyncDispose]() {
      await program.stop();
    },
  };
}

function useOf(pid: number): Omit<ProgramReading, 'requests'> {
  const { processorTime, rss, peak } = readProcessUsage(pid);
  return {
    at: performance.now(),
    processorSeconds: processorTime / 1_000,
    megabytes: rss / 1e6,
    peakMegabytes: peak / 1e6,
  };
}
