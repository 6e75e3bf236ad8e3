import type { World } from '@minifleet/world';
import { type RunningProgram, type StartProgramOptions, startProgram } from './start-program.ts';

export interface StartProviderOptions extends Pick<StartProgramOptions, 'home' | 'token'> {
  readonly world: World;
  readonly fleetFile: string;
}

/** Someone who breaks a Mac should not wait ten minutes to see it found. */
const LOOK_OFTEN = '--inspect-every=20s';

/** Nor a quarter of an hour until a Mac that nobody has any more is given back. */
const SWEEP_OFTEN = ['--reclaim-orphans', '--orphan-reclaim-interval=20s'];

/** Nor half an hour until a Mac that was mended by hand is tried again. */
const RETRY_SOON = '--roll-retry-after=20s';

/** Nor ten minutes until a Pod that does not go is told. */
const STUCK_SOON = '--stuck-after=20s';

/** For templates that are older than pools. */
const POOL = '--default-adopt-pool-prefix=tuist-pool-';

/** The provider, with the world's vendor and forge. */
export function startProvider({ world, fleetFile, ...options }: StartProviderOptions): Promise<RunningProgram> {
  const { accessKey, secretKey, defaultProjectId, apiURL } = world.scaleway.apiFor();
  return startProgram({
    ...options,
    program: 'provider',
    flags: [
      `--fleet-file=${fleetFile}`,
      `--vendor-api-url=${apiURL}`,
      `--forge-api-url=${world.github.url}`,
      `--ssh-address-file=${world.sshAddressFile}`,
      LOOK_OFTEN,
      RETRY_SOON,
      STUCK_SOON,
      ...SWEEP_OFTEN,
      POOL,
    ],
    environment: { SCW_ACCESS_KEY: accessKey, SCW_SECRET_KEY: secretKey, SCW_DEFAULT_PROJECT_ID: defaultProjectId },
  });
}
