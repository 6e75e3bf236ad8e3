/** A cluster whose Linux Node runs Pods, a world of Macs, and a shell of an operator with both at hand. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@minifleet/clock';
import { type Client, connectClient, readKubeconfig } from '@minifleet/kube';
import {
  findBinaries,
  type LinuxNode,
  type LocalCluster,
  startLinuxNode,
  startLocalCluster,
} from '@minifleet/local-cluster';
import { stringify } from 'yaml';
import { approveServing } from '../testing/approve-serving.ts';
import { ROOT } from '../testing/built-agent.ts';
import { openShell, type Shell } from '../testing/open-shell.ts';
import { ADDRESSES } from './addresses.ts';
import { imagesIn, SANDBOX_IMAGE } from './build-images.ts';
import { openPodsWorld, type PodsWorld } from './pods-world.ts';

export interface PodsBench {
  readonly cluster: LocalCluster;
  readonly admin: Client;
  readonly world: PodsWorld;
  readonly shell: Shell;
  /** Values that only the simulation needs: its addresses. For a further `-f` after the values of the page. */
  readonly addressValues: string;
  /** Folder of the operator’s files. It is also the home of the shell. */
  readonly home: string;
  /** Returns the state of Pods and Node, for the message of a failure. */
  describe(): Promise<string>;
  stop(): Promise<void>;
}

const NODE = 'linux-1';

export async function openPodsBench(): Promise<PodsBench> {
  const directory = await mkdtemp(join(tmpdir(), 'b-'));
  const home = join(directory, 'home');
  const key = await createKey(home);
  const cluster = await startLocalCluster({ serverAddresses: [ADDRESSES.apiServer] });
  const admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  const stop = new AbortController();
  const approving = approveServing({ client: admin, clock: systemClock, nodes: [NODE], signal: stop.signal });
  const [world, node] = await Promise.all([openPodsWorld(directory, key), startNode(cluster)]);
  const addressValues = join(directory, 'addresses.values.yaml');
  await writeFile(addressValues, stringify(valuesOf(cluster, world)));
  const tools = await linkTools(directory);
  const shell = openShell();
  await shell.run(`export HOME=${home} KUBECONFIG=${cluster.kubeconfigs.admin.path} PATH=${tools}:$PATH`);
  const wait = `kubectl wait node/${NODE} --timeout=90s`;
  const lease = `kubectl wait lease/${NODE} -n kube-node-lease --for=create --timeout=90s`;
  const { code, printed } = await shell.run(`${wait} --for=create && ${wait} --for=condition=Ready && ${lease}`);
  if (code !== 0) throw new Error(`Node ${NODE}: not Ready (${printed}); see the logs:\n${await node.logs()}`);
  return {
    ...{ cluster, admin, world, shell, addressValues, home },
    describe: () => describeBench(shell, node),
    async stop() {
      await shell.close('true');
      stop.abort();
      await approving;
      await node.stop();
      await admin.close();
      await cluster.stop();
      await world.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The operator’s SSH key. Returns the public part. */
async function createKey(home: string): Promise<string> {
  await mkdir(join(home, '.ssh'), { recursive: true, mode: 0o700 });
  const file = join(home, '.ssh/id_ed25519');
  await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  return (await readFile(`${file}.pub`, 'utf8')).trim();
}

const startNode = (cluster: LocalCluster): Promise<LinuxNode> =>
  startLinuxNode({
    cluster,
    name: NODE,
    address: ADDRESSES.linuxNode,
    serverAddress: ADDRESSES.apiServer,
    images: imagesIn(process.env['MINIFLEET_TEST_IMAGES'] ?? ''),
    sandboxImage: SANDBOX_IMAGE,
  });

/** API server, vendor and GitHub have other addresses than the real ones; everything else is a value of the page. */
const valuesOf = (cluster: LocalCluster, world: PodsWorld): object => ({
  cluster: { controlPlaneEndpoint: { host: ADDRESSES.apiServer, port: Number(new URL(cluster.server).port) } },
  provider: { flags: { 'vendor-api-url': world.scaleway.url, 'forge-api-url': world.github.url } },
  runners: { flags: { 'forge-api-url': world.github.url } },
});

/** Puts the programs of the page’s commands into one folder. */
async function linkTools(directory: string): Promise<string> {
  const tools = join(directory, 'bin');
  await mkdir(tools);
  const programs = await findBinaries({ programs: ['kubectl', 'helm', 'clusterctl'] });
  for (const [name, path] of Object.entries(programs)) await symlink(path, join(tools, name));
  await symlink(join(ROOT, 'node_modules/.bin/minifleet'), join(tools, 'minifleet'));
  return tools;
}

async function describeBench(shell: Shell, node: LinuxNode): Promise<string> {
  const commands = [
    'kubectl get nodes,pods,jobs,machines,macm,samm,machosts,rpool -A -o wide',
    'kubectl describe pods -n minifleet-system',
    'kubectl get events -A --sort-by=.lastTimestamp | tail -40',
    'kubectl logs -n minifleet-system deployment/minifleet-provider --tail=40',
    'kubectl logs -n minifleet-system deployment/minifleet-runners --tail=20',
  ];
  const parts: string[] = [];
  for (const command of commands) parts.push(`$ ${command}\n${(await shell.run(command)).printed}`);
  return [...parts, await node.logs()].join('\n');
}
