import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliContext } from '@minifleet/cli';
import { untilStopped } from '@minifleet/cli';
import { createWorldClock, startWorld, type World } from '@minifleet/world';

interface WorldStartOptions {
  readonly hosts: number;
  readonly seed: string;
  readonly speed: number;
  readonly json: boolean;
}

/** Runs the simulated world without a cluster, prints its addresses, and stays until the user stops it. */
export async function startWorldAlone(
  options: WorldStartOptions,
  { clock, output, signal }: CliContext,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'minifleet-world-'));
  try {
    const world = await startWorld({ ...options, clock: createWorldClock(clock, options.speed), directory });
    output.write(options.json ? `${JSON.stringify(addresses(world))}\n` : describe(world));
    await untilStopped(signal);
    await world.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The content of `-o json`. */
function addresses(world: World) {
  const { accessKey, secretKey, defaultProjectId: projectId } = world.scaleway.apiFor();
  const { id: appId, installationId, keyFile, organization } = world.githubApp;
  return {
    hosts: world.pool().map(({ name, host }) => ({
      name,
      ssh: {
        host: '127.0.0.1',
        port: host.ssh.port,
        user: 'm1',
        keyFile: world.sshKeyFile,
        password: host.mac.options.password,
      },
    })),
    scaleway: { url: world.scaleway.url, accessKey, secretKey, projectId },
    github: { url: world.github.url, appId, installationId, keyFile, organization },
    registry: { url: world.registry.url },
  };
}

function describe(world: World): string {
  const { scaleway, github, registry } = addresses(world);
  const ssh = world.pool().map(({ name }) => `  ssh -F ${world.sshConfigFile} ${name}`);
  return `${ssh.length} simulated Macs are running. Their behaviour was not verified on Apple hardware (docs/world.md).

${ssh.join('\n')}

  vendor    ${scaleway.url}  SCW_ACCESS_KEY=${scaleway.accessKey} SCW_SECRET_KEY=${scaleway.secretKey} SCW_DEFAULT_PROJECT_ID=${scaleway.projectId}
  github    ${github.url}  App ${github.appId}, installation ${github.installationId}, key ${github.keyFile}
  registry  ${registry.url}

Ctrl-C stops them and leaves nothing behind.
`;
}
