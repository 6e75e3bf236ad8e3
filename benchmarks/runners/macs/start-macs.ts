import { startChild } from '../../child/start-child.ts';
import type { MacsCalls, GithubAccess } from './calls.ts';

/** A forge with an organisation for each pool, its jobs and the Macs, in a process of their own. */
export interface RunnersMacs extends AsyncDisposable, Omit<MacsCalls, 'place' | 'close'> {
  readonly access: GithubAccess;
}

export async function startMacs(pools: number): Promise<RunnersMacs> {
  const child = await startChild<MacsCalls>({ file: new URL('./macs.ts', import.meta.url), argv: [String(pools)] });
  return {
    access: await child.ask('place'),
    serve: cluster => child.ask('serve', cluster),
    queueJobs: count => child.ask('queueJobs', count),
    jobs: () => child.ask('jobs'),
    requests: () => child.ask('requests'),
    problems: () => child.ask('troubles'),
    processorTime: () => child.ask('processorTime'),
    async [Symbol.asyncDispose]() {
      await child.ask('close').catch(() => undefined); // it ends all the same
      await child.stop();
    },
  };
}
