/** A cluster with Cluster API and the Minifleet CRDs, and provider processes for a world of Macs. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kinds, names } from '@minifleet/api';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, customResourceDefinitions, readKubeconfig, secrets } from '@minifleet/kube';
import { findBinaries, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { type Kubectl, kubectlOf, type Ran } from '@minifleet/tart-kubelet/testing/server';
import type { World } from '@minifleet/world';
import { ROOT } from './built-agent.ts';
import { clusterObjects, deploymentOf, type FleetOptions, templateOf } from './fleet-objects.ts';
import { type ProviderOptions, type ProviderProcess, startProvider } from './provider-process.ts';

export interface FleetCluster {
  readonly cluster: LocalCluster;
  readonly admin: Client;
  readonly kubectl: Kubectl;
  clusterctl(...argv: readonly string[]): Promise<Ran>;
  /** Starts another provider; earlier ones keep running. */
  startProvider(flags?: readonly string[]): ProviderProcess;
  /** Applies the objects of a fleet and of its Cluster. */
  createFleet(fleet: FleetOptions): Promise<void>;
  stop(): Promise<void>;
}

/** Access to a world, which may run in another process. */
export type WorldAccess = ProviderOptions['world'] & Pick<World, 'sshKeyFile'>;

export interface FleetClusterOptions {
  readonly world: WorldAccess;
  /** Address at which the Macs reach the API server. */
  readonly gateway: string;
  readonly fleetFile: string;
  /** Time without a Node heartbeat until the Node is not Ready. */
  readonly gracePeriod?: string;
}

/** Detects a Mac without power sooner than the default of 50 s. Agents renew their leases every 10 s. */
const NODE_GRACE_PERIOD = '20s';

export async function openFleetCluster(options: FleetClusterOptions): Promise<FleetCluster> {
  const { world, gateway, fleetFile, gracePeriod = NODE_GRACE_PERIOD } = options;
  const extraFlags = { 'kube-controller-manager': { 'node-monitor-grace-period': gracePeriod } };
  const cluster = await startLocalCluster({ serverAddresses: [gateway], extraFlags });
  const kubeconfig = cluster.kubeconfigs.admin.path;
  const admin = connectClient(readKubeconfig(kubeconfig), { clock: systemClock });
  const kubectl = await kubectlOf(kubeconfig, cluster.directory);
  await installCrds(admin, kubectl);
  const { clusterctl } = await findBinaries({ programs: ['clusterctl'] });
  const endpoint = { host: gateway, port: Number(new URL(cluster.server).port) };
  const providers: ProviderProcess[] = [];
  return {
    cluster,
    admin,
    kubectl,
    clusterctl: (...argv) => run(clusterctl, argv, { KUBECONFIG: kubeconfig, HOME: cluster.directory }),
    startProvider(flags = []) {
      const provider = startProvider({ root: ROOT, kubeconfig, world, flags: [`--fleet-file=${fleetFile}`, ...flags] });
      providers.push(provider);
      return provider;
    },
    async createFleet(fleet) {
      await createFleetKey(admin, fleet.name, world);
      const template = templateOf(fleet.name, fleet.name, fleet.machine);
      await applyWithRetry(kubectl, [...clusterObjects(endpoint), template, deploymentOf(fleet)]);
    },
    async stop() {
      await Promise.all(providers.map(provider => provider.stop()));
      await admin.close();
      await cluster.stop();
    },
  };
}

const run = (program: string, argv: readonly string[], env: Record<string, string>): Promise<Ran> =>
  new Promise(resolve => {
    const offline = { ...env, CLUSTERCTL_DISABLE_VERSIONCHECK: 'true' };
    const timeout = seconds(240);
    execFile(program, argv, { env: offline, timeout }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });

/** Uses the key that the Macs of the pool accept. A new key of the provider would be accepted only after a reinstallation. */
async function createFleetKey(admin: Client, fleet: string, world: WorldAccess): Promise<void> {
  const key = { namespace: 'default', name: `${fleet}-ssh` };
  if (await admin.find(secrets, key)) return;
  const [privateKey, publicKey] = await Promise.all([
    readFile(world.sshKeyFile, 'utf8'),
    readFile(`${world.sshKeyFile}.pub`, 'utf8'),
  ]);
  await admin.create(secrets, {
    // As on a Secret of the provider, so that `clusterctl move` includes it.
    metadata: { ...key, labels: { [names.clusterApi.moveLabel]: '' } },
    stringData: { id_ed25519: privateKey, 'id_ed25519.pub': publicKey },
  });
}

async function installCrds(admin: Client, kubectl: Kubectl): Promise<void> {
  for (const kind of kinds) await admin.apply(customResourceDefinitions, kind.crd() as never, { fieldManager: 'e2e' });
  for (const argv of [
    ['create', 'namespace', 'minifleet-system'],
    ['apply', '-f', join(ROOT, 'config/rbac')],
  ]) {
    const { code, stderr } = await kubectl.run(argv);
    if (code !== 0) throw new Error(stderr);
  }
}

/** Retries, because the webhooks of Cluster API start a moment after its health endpoint. */
const applyWithRetry = (kubectl: Kubectl, objects: readonly object[]): Promise<unknown> =>
  eventually(
    async () => {
      const input = objects.map(object => JSON.stringify(object)).join('\n---\n');
      const { code, stderr } = await kubectl.run(['apply', '-f', '-'], { input });
      if (code !== 0) throw new Error(stderr);
      return true;
    },
    { what: 'the applied fleet', deadline: seconds(180) },
  );
