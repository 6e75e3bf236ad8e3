import { startChild } from '../../child/start-child.ts';
import type { ArtifactPaths, MacAddress, MacsCalls } from './calls.ts';

/** New Macs in a process of their own. */
export interface HostMacs {
  readonly addresses: readonly MacAddress[];
  readonly artifacts: ArtifactPaths;
  /** What they were asked for and the world does not model. */
  gaps(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** `speed` is how much faster than real time macOS does what it takes its time for. */
export async function startMacs(count: number, speed: number): Promise<HostMacs> {
  const child = await startChild<MacsCalls>({
    file: new URL('./macs.ts', import.meta.url),
    argv: [String(count), String(speed)],
  });
  return {
    addresses: await child.ask('addresses'),
    artifacts: await child.ask('artifacts'),
    gaps: () => child.ask('gaps'),
    async stop() {
      await child.ask('close').catch(() => undefined); // it ends all the same
      await child.stop();
    },
  };
}
