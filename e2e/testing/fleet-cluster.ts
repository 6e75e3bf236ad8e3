/** A cluster with Cluster API core and our kinds, and the provider as a program of its own between it and a world of Macs. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kinds, names } from '@minifleet/api';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, customResourceDefinitions, readKubeconfig, secrets } from '@minifleet/kube';
import { findBinaries, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import type { World } from '@minifleet/world';
import { type Kubectl, kubectlOf, type Ran } from '../../packages/tart-kubelet/server/testing/kubectl.ts';
import { ROOT } from './built-agent.ts';
import { clusterObjects, deploymentOf, type FleetShape, templateOf } from './fleet-objects.ts';
import { type ProviderOptions, type ProviderProcess, startProvider } from './provider-process.ts';

export interface FleetCluster {
  readonly cluster: LocalCluster;
  readonly admin: Client;
  readonly kubectl: Kubectl;
  clusterctl(...argv: readonly string[]): Promise<Ran>;
  /** Starts another one: those before are not ended. */
  startProvider(flags?: readonly string[]): ProviderProcess;
  /** Applies the objects of a fleet and everything it stands on. */
  createFleet(fleet: FleetShape): Promise<void>;
  stop(): Promise<void>;
}

/** What is known of a world here; it may run in another process. */
export type KnownWorld = ProviderOptions['world'] & Pick<World, 'sshKeyFile'>;

export interface FleetClusterOptions {
  readonly world: KnownWorld;
  /** Where Macs reach us. */
  readonly gateway: string;
  readonly fleetFile: string;
  /** How long nothing is heard of a Node before it is not Ready. */
  readonly gracePeriod?: string;
}

/** A Mac without power is noticed after this time instead of fifty seconds; its agent renews its lease every ten. */
const UNHEARD_OF = '20s';

export async function openFleetCluster(options: FleetClusterOptions): Promise<FleetCluster> {
  const { world, gateway, fleetFile, gracePeriod = UNHEARD_OF } = options;
  const extraFlags = { 'kube-controller-manager': { 'node-monitor-grace-period': gracePeriod } };
  const cluster = await startLocalCluster({ serverAddresses: [gateway], extraFlags });
  const kubeconfig = cluster.kubeconfigs.admin.path;
  const admin = connectClient(readKubeconfig(kubeconfig), { clock: systemClock });
  const kubectl = await kubectlOf(kubeconfig, cluster.directory);
  await installKinds(admin, kubectl);
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
      await stageFleetKey(admin, fleet.name, world);
      const template = templateOf(fleet.name, fleet.name, fleet.machine);
      await applied(kubectl, [...clusterObjects(endpoint), template, deploymentOf(fleet)]);
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

/** Macs of the pool were delivered with this key; one of the provider's own would reach them only after a wipe. */
async function stageFleetKey(admin: Client, fleet: string, world: KnownWorld): Promise<void> {
  const key = { namespace: 'default', name: `${fleet}-ssh` };
  if (await admin.find(secrets, key)) return;
  const [privateKey, publicKey] = await Promise.all([
    readFile(world.sshKeyFile, 'utf8'),
    readFile(`${world.sshKeyFile}.pub`, 'utf8'),
  ]);
  await admin.create(secrets, {
    // As on one that the provider makes: it is moved along.
    metadata: { ...key, labels: { [names.clusterApi.moveLabel]: '' } },
    stringData: { id_ed25519: privateKey, 'id_ed25519.pub': publicKey },
  });
}

async function installKinds(admin: Client, kubectl: Kubectl): Promise<void> {
  for (const kind of kinds) await admin.apply(customResourceDefinitions, kind.crd() as never, { fieldManager: 'e2e' });
  for (const argv of [
    ['create', 'namespace', 'minifleet-system'],
    ['apply', '-f', join(ROOT, 'config/rbac')],
  ]) {
    const { code, stderr } = await kubectl.run(argv);
    if (code !== 0) throw new Error(stderr);
  }
}

/** Core's webhooks come up a moment after its health does. */
const applied = (kubectl: Kubectl, objects: readonly object[]): Promise<unknown> =>
  eventually(
    async () => {
      const input = objects.map(object => JSON.stringify(object)).join('\n---\n');
      const { code, stderr } = await kubectl.run(['apply', '-f', '-'], { input });
      if (code !== 0) throw new Error(stderr);
      return true;
    },
    { what: 'the fleet is applied', deadline: seconds(180) },
  );
