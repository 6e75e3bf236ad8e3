import type { World } from '@minifleet/world';
import { type RunningProgram, type StartProgramOptions, startProgram } from './start-program.ts';

export interface StartRunnersOptions extends Pick<StartProgramOptions, 'home' | 'token'> {
  readonly world: Pick<World, 'github'>;
}

/** A job that is begun is to be seen as begun: half a minute is long for who watches. */
const LOOK_OFTEN = '--forge-look-every=3s';

/** The program of runner pools, with the world's forge. */
export const startRunners = ({ world, ...options }: StartRunnersOptions): Promise<RunningProgram> =>
  startProgram({ ...options, program: 'runners', flags: [`--forge-api-url=${world.github.url}`, LOOK_OFTEN] });
