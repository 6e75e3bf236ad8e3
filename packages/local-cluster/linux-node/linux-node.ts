/**
 * A Linux Node of a local cluster: a real kubelet and containerd. It must run in the namespaces of
 * runInPrivateNamespaces, whose end removes its processes, mounts and interfaces.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findBinaries } from '../binaries/find-binaries.ts';
import { readEnvironment } from '../environment.ts';
import { linuxNodeUnavailable } from '../errors.ts';
import type { LocalCluster } from '../local-cluster.ts';
import { SERVICE_ADDRESS } from '../pki/cluster-pki.ts';
import { type StartedProcess, startProcess } from '../processes/start-process.ts';
import { startWatchdog, type Watchdog } from '../processes/watchdog.ts';
import { waitUntil } from '../wait-until.ts';
import { CONTAINERD_SOCKET, containerdConfig, kubeletConfig, type NodePlan, podNetwork } from './node-files.ts';

export type LinuxNodeOptions = {
  readonly cluster: LocalCluster;
  /** Name of the Node. */
  readonly name: string;
  /** Address of this network namespace. */
  readonly address: string;
  /** Address outside loopback at which the API server listens. */
  readonly serverAddress: string;
  /** Images by the name that a registry would give them, without a tag. The tag is in the layout. */
  readonly images: Readonly<Record<string, string>>;
  readonly sandboxImage: string;
};

export type LinuxNode = {
  /** Last lines of the logs of kubelet and containerd. */
  logs(): Promise<string>;
  stop(): Promise<void>;
};

const run = promisify(execFile);
const READY_WITHIN = 60_000;

/** Returns when kubelet and containerd run. The Node becomes Ready after its serving certificate is approved. */
export async function startLinuxNode(options: LinuxNodeOptions): Promise<LinuxNode> {
  const { kubelet } = await findBinaries({ programs: ['kubelet'] });
  const plan = await writeFiles(options);
  await routeServiceAddress(options);
  const watchdog = startWatchdog();
  const start = (name: string, ...argv: [string, ...string[]]) => startLogged(plan.folder, name, argv, watchdog);
  try {
    await start('containerd', 'containerd', '--config', path.join(plan.folder, 'containerd.toml'));
    await untilAnswers(plan.folder);
    for (const [name, layout] of Object.entries(options.images)) await importImage(plan.folder, name, layout);
    await start('kubelet', kubelet, ...(await kubeletFlags(options, plan.folder)));
  } catch (error) {
    await watchdog.close();
    throw error;
  }
  return {
    logs: async () =>
      (await Promise.all(['containerd', 'kubelet'].map(name => lastLines(plan.folder, name)))).join('\n'),
    stop: () => watchdog.close(),
  };
}

async function writeFiles({ cluster, address, sandboxImage }: LinuxNodeOptions): Promise<NodePlan> {
  const { temporaryDirectory, variables } = readEnvironment();
  const cgroup = variables['MINIFLEET_CGROUP'];
  if (cgroup === undefined)
    throw linuxNodeUnavailable('it would change this machine', 'Start it in a program of runInPrivateNamespaces.');
  const folder = path.join(temporaryDirectory, 'node');
  await mkdir(path.join(folder, 'cni'), { recursive: true });
  const clientAuthorityFile = path.join(folder, 'client-ca.crt');
  const plan = { folder, address, sandboxImage, cgroup, clientAuthorityFile };
  await writeFile(clientAuthorityFile, cluster.certificateAuthority);
  await writeFile(path.join(folder, 'containerd.toml'), containerdConfig(plan));
  await writeFile(path.join(folder, 'cni/pods.conflist'), JSON.stringify(podNetwork));
  await writeFile(path.join(folder, 'kubelet.json'), JSON.stringify(kubeletConfig(plan)));
  return plan;
}

/** Does for the only Service that Pods need, the API server's, what kube-proxy does for all. */
async function routeServiceAddress({ cluster, serverAddress }: LinuxNodeOptions): Promise<void> {
  const target = `${serverAddress}:${new URL(cluster.server).port}`;
  const rule = ['-d', SERVICE_ADDRESS, '-p', 'tcp', '--dport', '443', '-j', 'DNAT', '--to-destination', target];
  for (const chain of ['PREROUTING', 'OUTPUT']) await run('iptables', ['-t', 'nat', '-A', chain, ...rule]);
  // Programs outside of Pods: without a route, the kernel rejects the connection before it applies the rule.
  await run('ip', ['route', 'add', SERVICE_ADDRESS, 'dev', 'hosts0']);
}

async function startLogged(
  folder: string,
  name: string,
  argv: [string, ...string[]],
  watchdog: Watchdog,
): Promise<StartedProcess> {
  const { PATH = '' } = readEnvironment().variables;
  const output = { appendTo: path.join(folder, `${name}.log`) };
  return startProcess({
    argv,
    environment: { PATH, HOME: folder, TMPDIR: folder },
    directory: folder,
    watchdog,
    output,
  });
}

const ctr = (...argv: readonly string[]) =>
  run('ctr', ['--address', CONTAINERD_SOCKET, '--namespace', 'k8s.io', ...argv]);

async function untilAnswers(folder: string): Promise<void> {
  const answers = () =>
    ctr('version').then(
      () => true,
      () => false,
    );
  if (await waitUntil(answers, { deadline: READY_WITHIN })) return;
  throw linuxNodeUnavailable(`containerd does not answer: ${await lastLines(folder, 'containerd')}`, 'Read its log.');
}

/** As if pulled: with the tag of the layout, and by digest. */
async function importImage(folder: string, name: string, layout: string): Promise<void> {
  const archive = path.join(folder, 'image.tar');
  await run('tar', ['-C', layout, '-cf', archive, '.']);
  await ctr('images', 'import', '--base-name', name, '--digests', archive);
}

async function kubeletFlags({ cluster, name, address }: LinuxNodeOptions, folder: string): Promise<string[]> {
  const { path: kubeconfig } = await cluster.nodeKubeconfig(name);
  return [
    `--config=${path.join(folder, 'kubelet.json')}`,
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${name}`,
    `--node-ip=${address}`,
    `--root-dir=${path.join(folder, 'kubelet')}`,
    `--cert-dir=${path.join(folder, 'kubelet-pki')}`,
  ];
}

async function lastLines(folder: string, name: string): Promise<string> {
  const text = await readFile(path.join(folder, `${name}.log`), 'utf8').catch(() => '');
  return `${name}:\n${text.trimEnd().split('\n').slice(-30).join('\n')}`;
}
