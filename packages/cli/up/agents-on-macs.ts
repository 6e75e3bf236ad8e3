import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostNetwork, LocalCluster } from '@minifleet/local-cluster';
import type { World } from '@minifleet/world';
import { type AgentOnMacOptions, agentOnMac, jobProgramsOf, m1 } from '@minifleet/world/mac';

export interface InstallAgentsOptions {
  readonly world: Pick<World, 'pool'>;
  readonly cluster: Pick<LocalCluster, 'directory'>;
  /** Of the world: its Tarts keep their VMs below it. */
  readonly directory: string;
  readonly executable: string;
  readonly network: HostNetwork | undefined;
}

const PROGRAM = '/usr/local/bin/tart-kubelet';

/** Whatever launchd of a Mac starts as the agent is the executable given. Returns how its folders are removed. */
export async function installAgents({ world, ...rest }: InstallAgentsOptions): Promise<() => Promise<void>> {
  const folders: string[] = [];
  for (const [index, { host }] of world.pool().entries()) {
    const home = join(rest.directory, 'tart', host.serverId, 'home', m1.name);
    await mkdir(home, { recursive: true });
    const folder = await folderFor(index, rest.cluster.directory);
    folders.push(folder);
    const program = agentOnMac(host.mac, {
      directory: folder,
      binary: rest.executable,
      environment: { TART_HOME: home },
      ...(await placeOf(index, rest.network)),
    });
    jobProgramsOf(host.mac).set(PROGRAM, program);
  }
  return async () => {
    await Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
  };
}

const DIRECTORIES = ['--state-dir=/var/lib/tart-kubelet', '--log-dir=/var/log/tart-kubelet', '--healthz-port=0'];

/** What `agentOnMac` takes: sockets lie deep in it, and the kernel takes 107 characters. */
const LONGEST = 32;

/** In the cluster's folder, which goes even when we are killed; where that lies too deep, in one of its own. */
async function folderFor(index: number, directory: string): Promise<string> {
  const folder = join(directory, `m${index + 1}`);
  if (folder.length > LONGEST) return mkdtemp(join(tmpdir(), 'mac-'));
  await mkdir(folder);
  return folder;
}

type Place = Pick<AgentOnMacOptions, 'network' | 'flags'>;

async function placeOf(index: number, network: HostNetwork | undefined): Promise<Place> {
  const address = network?.addresses[index];
  if (network && address !== undefined)
    return { flags: DIRECTORIES, network: { address, inside: argv => network.inside(argv) } };
  return { flags: [...DIRECTORIES, '--node-ip=127.0.0.1', `--port=${await freePort()}`] };
}

/** The agents on loopback share this machine's ports. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
