import type { HostSpec } from '@minifleet/host';
import type { Secret } from '@minifleet/secret';
import { readChecked } from './read-checked.ts';
import { SpecFileError } from './spec-file-error.ts';
import { specSchema } from './spec-schema.ts';

/** Values of the command line that complete or override the file. */
export interface SpecDefaults {
  readonly name: string | undefined;
  readonly user: string;
  readonly password: Secret | undefined;
}

/** Reads the desired state of one host. */
export async function readSpecFile(file: string, defaults: SpecDefaults): Promise<HostSpec> {
  const { fleet, host } = await readChecked(file, specSchema);
  const { passwordFile, kubeconfigFile, runnerTokenFile, name = defaults.name, user = defaults.user, ...rest } = host;
  if (fleet.builder && fleet.builder.runner.url === undefined)
    throw new SpecFileError([
      `${file}:1:1: fleet.builder.runner.url is missing; set it to https://github.com/<organization>`,
    ]);
  if (name === undefined) throw new SpecFileError([`${file}:1:1: host.name is missing; set it or pass --name`]);
  const password = defaults.password ?? passwordFile;
  return {
    fleet,
    host: {
      ...rest,
      name,
      user,
      ...(password && { password }),
      ...(kubeconfigFile && { kubeconfig: kubeconfigFile }),
      ...(runnerTokenFile && { runnerToken: runnerTokenFile }),
    },
  };
}
