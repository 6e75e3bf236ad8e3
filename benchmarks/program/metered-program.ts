import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { findFreePorts } from '@minifleet/local-cluster';
import type { ProgramProcess } from '../../e2e/testing/program-process.ts';
import { readProcessUsage } from '../agent/host/processes.ts';
import { type MetricSample, parseMetrics, sumOf } from '../provider/measure/metrics-page.ts';

/** Counters of a program since its start. */
export interface ProgramReading {
  /** Milliseconds on a monotonic clock. */
  readonly at: number;
  readonly processorSeconds: number;
  readonly megabytes: number;
  readonly peakMegabytes: number;
  /** Requests to the API server, including watches. */
  readonly requests: number;
}

/** A program in a separate process, with its metrics. */
export interface MeteredProgram<Own extends object> extends AsyncDisposable, Pick<ProgramProcess, 'log'> {
  read(): Promise<ProgramReading & Own>;
}

export interface MeteredProgramOptions<Own extends object> {
  /** Name for error messages. */
  readonly name: string;
  readonly start: (flags: readonly string[]) => ProgramProcess;
  /** Reads additional counters. */
  readonly figures: (samples: readonly MetricSample[]) => Own;
}

/** Resolves when all caches of the program are filled. Without leader election, whose cost does not depend on the fleet. */
export async function startMeteredProgram<Own extends object>(
  options: MeteredProgramOptions<Own>,
): Promise<MeteredProgram<Own>> {
  const { name, start, figures } = options;
  const [port = 0] = await findFreePorts(1);
  const program = start([`--bind-address=127.0.0.1:${port}`]);
  const fetchText = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.text();
  };
  try {
    await eventually(() => fetchText('/readyz'), { deadline: seconds(60), what: `the ${name} to be ready` });
  } catch (error) {
    await program.stop();
    throw new Error(`the ${name} did not start: ${program.log().slice(-2_000)}`, { cause: error });
  }
  return {
    log: () => program.log(),
    async read() {
      const samples = parseMetrics(await fetchText('/metrics'));
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
