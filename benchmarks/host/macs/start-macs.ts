import { startChild } from '../../child/start-child.ts';
import type { ArtifactPaths, MacAddress, MacsCalls } from './calls.ts';

/** New Macs in a separate process. */
export interface HostMacs {
  readonly addresses: readonly MacAddress[];
  readonly artifacts: ArtifactPaths;
  /** Requests that the world does not model. */
  gaps(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** `speed` is the speed of macOS relative to real time. */
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
      await child.ask('close').catch(() => undefined); // the process is stopped anyway
      await child.stop();
    },
  };
}
