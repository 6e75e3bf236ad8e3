import type { WorldAccess } from '../../../e2e/testing/fleet-cluster.ts';
import { startChild } from '../../child/start-child.ts';
import type { MacsCalls } from './calls.ts';

/** Macs of a pool in a separate process. */
export interface ProviderMacs extends AsyncDisposable {
  readonly world: WorldAccess;
  /** Folder that is removed with their process. */
  readonly directory: string;
  readonly problems: MacsCalls['problems'];
  readonly processorTime: MacsCalls['processorTime'];
}

export async function startMacs(count: number): Promise<ProviderMacs> {
  const child = await startChild<MacsCalls>({ file: new URL('./macs.ts', import.meta.url), argv: [String(count)] });
  const { vendor, directory, ...files } = await child.ask('addresses');
  return {
    directory,
    world: { ...files, scaleway: { apiFor: () => vendor } },
    problems: () => child.ask('problems'),
    processorTime: () => child.ask('processorTime'),
    async [Symbol.asyncDispose]() {
      await child.ask('close').catch(() => undefined); // the process is stopped anyway
      await child.stop();
    },
  };
}
