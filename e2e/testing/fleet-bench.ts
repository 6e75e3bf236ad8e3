/** A cluster with Cluster API core, a world of Macs, and the provider as a program of its own between them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kinds } from '@minifleet/api';
import { milliseconds, seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, customResourceDefinitions, readKubeconfig, secrets } from '@minifleet/kube';
import { createHostNetwork, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { startWorld, type World } from '@minifleet/world';
import { machO, tartArchive } from '@minifleet/world/mac';
import { agentsOnMacs } from '../../packages/cli/up/agents-on-macs.ts';
import { cachedAgent } from '../../packages/tart-kubelet/build/cached-agent.ts';
import { findPlatform } from '../../packages/tart-kubelet/build/platform.ts';
import { type Kubectl, kubectlOf } from '../../packages/tart-kubelet/server/testing/kubectl.ts';
import { type ProviderProcess, startProvider } from './provider-process.ts';

export interface FleetBench {
  readonly cluster: LocalCluster;
  readonly admin: Client;
  readonly kubectl: Kubectl;
  readonly world: World;
  /** Starts another one: those before are not ended. */
  startProvider(flags?: readonly string[]): ProviderProcess;
  /** Applies the objects of a fleet and everything it stands on. */
  createFleet(fleet: FleetShape): Promise<void>;
  stop(): Promise<void>;
}

export interface FleetShape {
  readonly name: string;
  readonly replicas: number;
}

export interface FleetBenchOptions {
  readonly macs: number;
}

const TART = '2.32.1';
export const IMAGE = 'ghcr.io/acme/macos:1';
const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** A wipe and a restart take a second, so that what is waited for is ours. */
const QUICK = { least: milliseconds(1_000), most: milliseconds(1_000) };

export async function openFleetBench({ macs }: FleetBenchOptions): Promise<FleetBench> {
  const [executable, network] = await Promise.all([buildOnce(), createHostNetwork({ name: 'fleet', addresses: macs })]);
  const cluster = await startLocalCluster({ serverAddresses: [network.gateway] });
  const admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  const directory = await mkdtemp(join(tmpdir(), 'fleet-'));
  const folders = await mkdtemp(join(tmpdir(), 'm-'));
  const agents = agentsOnMacs({ directory: join(directory, 'world'), folders, executable, network });
  const world = await startWorld({
    hosts: macs,
    seed: 'fleet',
    clock: systemClock,
    directory: join(directory, 'world'),
    address: number => network.addresses[number - 1] ?? '',
    vendor: { reinstallation: QUICK, reboot: QUICK },
    prepareMac: agents.prepare,
  });
  world.registry.seedImage('acme/macos:1');
  const kubectl = await kubectlOf(cluster.kubeconfigs.admin.path, cluster.directory);
  await installKinds(admin, kubectl);
  const fleetFile = await writeFleetFile(directory);
  const providers: ProviderProcess[] = [];
  const endpoint = { host: network.gateway, port: Number(new URL(cluster.server).port) };
  return {
    cluster,
    admin,
    kubectl,
    world,
    startProvider(flags = []) {
      const provider = startProvider({
        root: ROOT,
        kubeconfig: cluster.kubeconfigs.admin.path,
        world,
        flags: [`--fleet-file=${fleetFile}`, ...flags],
      });
      providers.push(provider);
      return provider;
    },
    async createFleet(fleet) {
      await stageFleetKey(admin, fleet.name, world);
      await applied(kubectl, fleetObjects(fleet, endpoint));
    },
    async stop() {
      await Promise.all(providers.map(provider => provider.stop()));
      await world.close();
      await admin.close();
      await cluster.stop();
      await network.stop();
      await agents.removeFolders();
      for (const folder of [directory, folders]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Macs of the pool were delivered with this key; one of the provider's own would reach them only after a wipe. */
export async function stageFleetKey(admin: Client, fleet: string, world: Pick<World, 'sshKeyFile'>): Promise<void> {
  const key = { namespace: 'default', name: `${fleet}-ssh` };
  if (await admin.find(secrets, key)) return;
  const [privateKey, publicKey] = await Promise.all([
    readFile(world.sshKeyFile, 'utf8'),
    readFile(`${world.sshKeyFile}.pub`, 'utf8'),
  ]);
  await admin.create(secrets, {
    metadata: key,
    stringData: { id_ed25519: privateKey, 'id_ed25519.pub': publicKey },
  });
}

export async function installKinds(admin: Client, kubectl: Kubectl): Promise<void> {
  for (const kind of kinds) await admin.apply(customResourceDefinitions, kind.crd() as never, { fieldManager: 'e2e' });
  for (const argv of [
    ['create', 'namespace', 'minifleet-system'],
    ['apply', '-f', join(ROOT, 'config/rbac')],
  ]) {
    const { code, stderr } = await kubectl.run(argv);
    if (code !== 0) throw new Error(stderr);
  }
}

/** What stands for the agent's program on a Mac: its launchd runs the executable of this machine instead. */
export async function writeFleetFile(directory: string): Promise<string> {
  const folder = join(directory, 'artifacts');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tart.tar.gz'), tartArchive(TART));
  await writeFile(join(folder, 'tart-kubelet'), machO('tart-kubelet'));
  const file = join(folder, 'fleet.yaml');
  await writeFile(
    file,
    `tart: { version: ${TART}, archive: tart.tar.gz }\nagent: { binary: tart-kubelet }\nlocalNetwork: false\n`,
  );
  return file;
}

/** Core's webhooks come up a moment after its health does. */
export const applied = (kubectl: Kubectl, objects: readonly object[]): Promise<unknown> =>
  eventually(
    async () => {
      const input = objects.map(object => JSON.stringify(object)).join('\n---\n');
      const { code, stderr } = await kubectl.run(['apply', '-f', '-'], { input });
      if (code !== 0) throw new Error(stderr);
      return true;
    },
    { what: 'the fleet is applied', deadline: seconds(30) },
  );

const infrastructure = 'infrastructure.cluster.x-k8s.io';
const CLUSTER = 'minifleet';

export function fleetObjects(
  { name, replicas }: FleetShape,
  endpoint: { readonly host: string; readonly port: number },
): object[] {
  const namespaced = (metadata: object) => ({ namespace: 'default', ...metadata });
  const own = `${infrastructure}/v1alpha1`;
  return [
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: namespaced({ name: CLUSTER }),
      spec: {
        infrastructureRef: { apiGroup: infrastructure, kind: 'ScalewayAppleSiliconCluster', name: CLUSTER },
        controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'ExternalControlPlane', name: CLUSTER },
      },
    },
    { apiVersion: own, kind: 'ScalewayAppleSiliconCluster', metadata: namespaced({ name: CLUSTER }) },
    {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1alpha1',
      kind: 'ExternalControlPlane',
      metadata: namespaced({ name: CLUSTER }),
      spec: { controlPlaneEndpoint: endpoint },
    },
    {
      apiVersion: own,
      kind: 'ScalewayAppleSiliconMachineTemplate',
      metadata: namespaced({ name }),
      spec: { template: { spec: { fleetName: name, adoptPoolPrefix: 'tuist-pool-', os: 'Tahoe' } } },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: namespaced({ name: 'no-bootstrap-data', labels: { 'cluster.x-k8s.io/cluster-name': CLUSTER } }),
      type: 'cluster.x-k8s.io/secret',
      stringData: { value: '' },
    },
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDeployment',
      metadata: namespaced({ name }),
      spec: {
        clusterName: CLUSTER,
        replicas,
        selector: { matchLabels: {} },
        rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
        template: {
          spec: {
            clusterName: CLUSTER,
            bootstrap: { dataSecretName: 'no-bootstrap-data' },
            infrastructureRef: { apiGroup: infrastructure, kind: 'ScalewayAppleSiliconMachineTemplate', name },
          },
        },
      },
    },
  ];
}

const buildOnce = (): Promise<string> =>
  cachedAgent({
    root: ROOT,
    cache: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet'),
    platform: findPlatform('linux-x64'),
    node: process.execPath,
    now: Date.now(),
    step: () => ({ update() {}, done() {}, failed() {} }),
  });
