import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostNetwork } from '@minifleet/local-cluster';
import type { PrepareMac } from '@minifleet/world';
import { type AgentOnMacOptions, agentOnMac, jobProgramsOf, m1 } from '@minifleet/world/mac';

export interface AgentsOnMacsOptions {
  /** Of the world: its Tarts keep their VMs below it. */
  readonly directory: string;
  /** Where the Macs' real folders go: short, and removed even when we are killed. */
  readonly folders: string;
  readonly executable: string;
  /** Its addresses are those the vendor gives the Macs. */
  readonly network: HostNetwork | undefined;
}

export interface AgentsOnMacs {
  readonly prepare: PrepareMac;
  /** After the world is closed. */
  removeFolders(): Promise<void>;
}

const PROGRAM = '/usr/local/bin/tart-kubelet';

/** Whatever launchd of a Mac starts as the agent is the executable given; a reinstalled Mac starts with an empty disk. */
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
        ...(await placeOf(ip, options.network)),
      });
      jobProgramsOf(mac).set(PROGRAM, program);
    },
    async removeFolders() {
      await Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
    },
  };
}

const FLAGS = [
  ...['--state-dir=/var/lib/tart-kubelet', '--log-dir=/var/log/tart-kubelet', '--healthz-port=0'],
  // A guest here boots in a moment: who has one hang should not wait five minutes to see it told.
  '--boot-timeout-seconds=60',
];

/** What `agentOnMac` takes: sockets lie deep in it, and the kernel takes 107 characters. */
const LONGEST = 32;

async function folderFor(index: number, parent: string): Promise<string> {
  const folder = join(parent, `m${index + 1}`);
  if (folder.length > LONGEST) return mkdtemp(join(tmpdir(), 'mac-'));
  await mkdir(folder);
  return folder;
}

type Place = Pick<AgentOnMacOptions, 'network' | 'flags'>;

async function placeOf(address: string, network: HostNetwork | undefined): Promise<Place> {
  if (network) return { flags: FLAGS, network: { address, inside: argv => network.inside(argv) } };
  return { flags: [...FLAGS, '--node-ip=127.0.0.1', `--port=${await freePort()}`] };
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
