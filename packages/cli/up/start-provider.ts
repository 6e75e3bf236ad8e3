import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostNetwork, LocalCluster } from '@minifleet/local-cluster';
import { spawnLeashed, type World } from '@minifleet/world';

const PROVIDER = fileURLToPath(new URL('../../provider/main.ts', import.meta.url));

export interface StartProviderOptions {
  readonly cluster: LocalCluster;
  readonly network: HostNetwork | undefined;
  readonly world: World;
  readonly fleetFile: string;
  /** Of the provider's own account. */
  readonly token: string;
}

export interface RunningProvider {
  readonly logFile: string;
  /** When it ends by itself, with its exit code: it should not. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

/** Someone who breaks a Mac should not wait ten minutes to see it found. */
const LOOK_OFTEN = '--inspect-every=20s';

/** The provider as a program of its own, as a cluster runs it, with the world's vendor. It cannot outlive us. */
export async function startProvider(options: StartProviderOptions): Promise<RunningProvider> {
  const { cluster, world, fleetFile } = options;
  const { accessKey, secretKey, defaultProjectId, apiURL } = world.scaleway.apiFor();
  const argv = [
    process.execPath,
    PROVIDER,
    `--kubeconfig=${await kubeconfigFor(options)}`,
    `--fleet-file=${fleetFile}`,
    `--vendor-api-url=${apiURL}`,
    `--ssh-address-file=${world.sshAddressFile}`,
    '--bind-address=127.0.0.1:0',
    LOOK_OFTEN,
  ];
  const child = spawnLeashed(argv, {
    environment: {
      SCW_ACCESS_KEY: accessKey,
      SCW_SECRET_KEY: secretKey,
      SCW_DEFAULT_PROJECT_ID: defaultProjectId,
    },
  });
  const logFile = join(cluster.directory, 'provider.log');
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve));
  return {
    logFile,
    ended,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      log.end();
    },
  };
}

/** By the address the Macs reach the API server at: it is what they are told to join. */
async function kubeconfigFor({ cluster, network, token }: StartProviderOptions): Promise<string> {
  const path = join(cluster.directory, 'provider.kubeconfig');
  const server = network ? cluster.server.replace('127.0.0.1', network.gateway) : cluster.server;
  const authority = Buffer.from(cluster.certificateAuthority).toString('base64');
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'provider', user: { token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'provider' } }],
    'current-context': 'local',
  });
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
