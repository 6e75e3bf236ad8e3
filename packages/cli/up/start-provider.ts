import type { World } from '@minifleet/world';
import { type RunningProgram, type StartProgramOptions, startProgram } from './start-program.ts';

export interface StartProviderOptions extends Pick<StartProgramOptions, 'cluster' | 'network' | 'token'> {
  readonly world: World;
  readonly fleetFile: string;
}

/** Someone who breaks a Mac should not wait ten minutes to see it found. */
const LOOK_OFTEN = '--inspect-every=20s';

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
    ],
    environment: { SCW_ACCESS_KEY: accessKey, SCW_SECRET_KEY: secretKey, SCW_DEFAULT_PROJECT_ID: defaultProjectId },
  });
}
