import { startChild } from '../../child/start-child.ts';
import type { GithubAccess, MacsCalls } from './calls.ts';

/** GitHub with one organisation per pool, its jobs, and the Macs, in a separate process. */
export interface RunnersMacs extends AsyncDisposable, Omit<MacsCalls, 'access' | 'close'> {
  readonly access: GithubAccess;
}

export async function startMacs(pools: number): Promise<RunnersMacs> {
  const child = await startChild<MacsCalls>({ file: new URL('./macs.ts', import.meta.url), argv: [String(pools)] });
  return {
    access: await child.ask('access'),
    serve: cluster => child.ask('serve', cluster),
    queueJobs: count => child.ask('queueJobs', count),
    jobs: () => child.ask('jobs'),
    requests: () => child.ask('requests'),
    problems: () => child.ask('problems'),
    processorTime: () => child.ask('processorTime'),
    async [Symbol.asyncDispose]() {
      await child.ask('close').catch(() => undefined); // the process is stopped anyway
      await child.stop();
    },
  };
}
