import type { World } from '@minifleet/world';
import { type ProgramProcess, startProgram } from './program-process.ts';

export type ProviderProcess = ProgramProcess;

export interface ProviderOptions {
  readonly root: string;
  readonly kubeconfig: string;
  readonly world: Pick<World, 'sshAddressFile'> & { readonly scaleway: Pick<World['scaleway'], 'apiFor'> };
  readonly flags: readonly string[];
}

/** Starts the provider with the simulated vendor. */
export function startProvider({ root, kubeconfig, world, flags }: ProviderOptions): ProviderProcess {
  const { accessKey, secretKey, defaultProjectId, apiURL } = world.scaleway.apiFor();
  return startProgram({
    root,
    main: 'packages/provider/main.ts',
    flags: [
      `--kubeconfig=${kubeconfig}`,
      `--vendor-api-url=${apiURL}`,
      `--ssh-address-file=${world.sshAddressFile}`,
      ...flags,
    ],
    environment: { SCW_ACCESS_KEY: accessKey, SCW_SECRET_KEY: secretKey, SCW_DEFAULT_PROJECT_ID: defaultProjectId },
  });
}
