import type { World } from '@minifleet/world';
import type { Home } from '../home/home.ts';
import type { Tokens } from './grant-access.ts';
import type { RunningProgram } from './start-program.ts';
import { startProvider } from './start-provider.ts';
import { startRunners } from './start-runners.ts';

export interface StartProgramsOptions {
  readonly home: Home;
  readonly world: World;
  /** What is wanted of hosts. */
  readonly fleetFile: string;
  readonly tokens: Tokens;
}

export interface Programs {
  readonly provider: RunningProgram;
  readonly runners: RunningProgram;
  /** When one of them ends by itself: it should not. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** The programs of ours that a cluster runs. */
export async function startPrograms({ home, world, fleetFile, tokens }: StartProgramsOptions): Promise<Programs> {
  const provider = await startProvider({ home, world, fleetFile, token: tokens.provider });
  const runners = await startRunners({ home, world, token: tokens.runners });
  return {
    provider,
    runners,
    ended: Promise.race([provider.ended, runners.ended]),
    async stop() {
      await Promise.all([runners.stop(), provider.stop()]);
    },
  };
}
