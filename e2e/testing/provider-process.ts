import type { World } from '@minifleet/world';
import { spawnLeashed } from '../../packages/world/spawn-leashed.ts';

export interface ProviderProcess {
  readonly pid: number;
  /** Everything it has logged. */
  log(): string;
  /** In good order unless said. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ProviderOptions {
  readonly root: string;
  readonly kubeconfig: string;
  readonly world: Pick<World, 'sshAddressFile'> & { readonly scaleway: Pick<World['scaleway'], 'apiFor'> };
  readonly flags: readonly string[];
}

/** The provider as a program, with the world's vendor; it ends with us, even if we are killed. */
export function startProvider({ root, kubeconfig, world, flags }: ProviderOptions): ProviderProcess {
  const { accessKey, secretKey, defaultProjectId, apiURL } = world.scaleway.apiFor();
  const argv = [
    'packages/provider/main.ts',
    `--kubeconfig=${kubeconfig}`,
    `--vendor-api-url=${apiURL}`,
    `--ssh-address-file=${world.sshAddressFile}`,
    '--bind-address=127.0.0.1:0',
    ...flags,
  ];
  const child = spawnLeashed([process.execPath, ...argv], {
    directory: root,
    environment: {
      PATH: process.env['PATH'] ?? '',
      SCW_ACCESS_KEY: accessKey,
      SCW_SECRET_KEY: secretKey,
      SCW_DEFAULT_PROJECT_ID: defaultProjectId,
    },
  });
  child.stdin.end();
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      log += String(chunk);
    });
  }
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve));
  return {
    pid: child.pid ?? 0,
    log: () => log,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}
