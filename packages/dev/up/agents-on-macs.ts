import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostNetwork } from '@minifleet/local-cluster';
import type { PrepareMac } from '@minifleet/world';
import { type AgentOnMacOptions, agentOnMac, jobProgramsOf, m1, networkOf } from '@minifleet/world/mac';

interface AgentsOnMacsOptions {
  /** Folder of the world. Tart keeps its VMs below it. */
  readonly directory: string;
  /** Parent of the Macs' folders on this machine. It has a short path and is removed even after a SIGKILL. */
  readonly folders: string;
  /** Path of the agent's executable for this machine. */
  readonly executable: string;
  /** Network with the addresses that the vendor assigns to the Macs. */
  readonly network: Pick<HostNetwork, 'inside'> | undefined;
}

export interface AgentsOnMacs {
  readonly prepare: PrepareMac;
  /** To be called after the world is closed. */
  removeFolders(): Promise<void>;
}

const PROGRAM = '/usr/local/bin/tart-kubelet';

/** Makes the launchd of each Mac start the given executable as its agent. A reinstalled Mac starts with an empty disk. */
export function agentsOnMacs(options: AgentsOnMacsOptions): AgentsOnMacs {
  const folders: string[] = [];
  return {
    async prepare(mac, { id, ip }) {
      const disk = join(options.directory, 'tart', id);
      await rm(disk, { recursive: true, force: true, maxRetries: 5 });
      const home = join(disk, 'home', m1.name);
      await mkdir(home, { recursive: true });
      const folder = await folderFor(folders.length, options.folders);
      folders.push(folder);
      const program = agentOnMac(mac, {
        directory: folder,
        binary: options.executable,
        environment: { TART_HOME: home },
        ...(await agentNetwork(ip, options.network)),
      });
      jobProgramsOf(mac).set(PROGRAM, program);
      // The agent is a real process, so what it reaches is what this machine reaches.
      networkOf(mac).listens = connects;
    },
    async removeFolders() {
      await Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
    },
  };
}

const FLAGS = [
  ...['--state-dir=/var/lib/tart-kubelet', '--log-dir=/var/log/tart-kubelet', '--healthz-port=0'],
  // Guests boot within seconds here. A guest that hangs is reported after one minute instead of five.
  '--boot-timeout-seconds=60',
];

/** Limit of `agentOnMac`: its sockets have long paths, and the kernel accepts 107 characters. */
const MAX_PATH = 32;

async function folderFor(index: number, parent: string): Promise<string> {
  const folder = join(parent, `m${index + 1}`);
  if (folder.length > MAX_PATH) return mkdtemp(join(tmpdir(), 'mac-'));
  await mkdir(folder);
  return folder;
}

type AgentNetwork = Pick<AgentOnMacOptions, 'network' | 'flags'>;

async function agentNetwork(address: string, network: Pick<HostNetwork, 'inside'> | undefined): Promise<AgentNetwork> {
  if (network) return { flags: FLAGS, network: { address, inside: argv => network.inside(argv) } };
  return { flags: [...FLAGS, '--node-ip=127.0.0.1', `--port=${await freePort()}`] };
}

const CONNECT_TIMEOUT = 5_000;

function connects(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT });
    const end = (isConnected: boolean) => (): void => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once('connect', end(true)).once('timeout', end(false)).once('error', end(false));
  });
}

/** Agents on loopback share the ports of this machine. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
