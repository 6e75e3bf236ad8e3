/** One attempt to start a cluster. If it fails, everything is removed except the log of the failed component. */
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { ProgramName } from './binaries/program.ts';
import { capiCore, webhookCertificateDirectory } from './components/capi-core.ts';
import {
  type ClusterPlan,
  type Component,
  type ComponentDefinition,
  PORT_NAMES,
  type Ports,
  pkiFile,
  serverUrl,
} from './components/component.ts';
import { etcd } from './components/etcd.ts';
import { kubeApiserver } from './components/kube-apiserver.ts';
import { kubeControllerManager } from './components/kube-controller-manager.ts';
import { kubeScheduler } from './components/kube-scheduler.ts';
import { metricsServer } from './components/metrics-server.ts';
import { RunningComponent } from './components/running-component.ts';
import { setupRefused } from './errors.ts';
import { findFreePorts } from './free-ports.ts';
import { createHttpsClient, type HttpsClient } from './https-client.ts';
import { LocalCluster, writeUserKubeconfig } from './local-cluster.ts';
import { createClusterPki } from './pki/cluster-pki.ts';
import { startWatchdog, type Watchdog } from './processes/watchdog.ts';
import type { Reporter } from './progress/reporter.ts';
import { createAccessRules } from './setup/access-rules.ts';
import { createCrds, createWebhooks, readCapiManifests } from './setup/capi-manifests.ts';
import { createMetricsAccess, registerMetricsApi } from './setup/metrics-api.ts';
import { waitUntil } from './wait-until.ts';

type BringUpOptions = Pick<ClusterPlan, 'components' | 'serverAddresses' | 'extraFlags' | 'failureDirectory'> & {
  binaries: Partial<Readonly<Record<ProgramName, string>>>;
  reporter: Reporter;
  temporaryDirectory: string;
};

const DEFINITIONS: Readonly<Record<Component, ComponentDefinition>> = {
  etcd,
  'kube-apiserver': kubeApiserver,
  'kube-controller-manager': kubeControllerManager,
  'kube-scheduler': kubeScheduler,
  'capi-core': capiCore,
  'metrics-server': metricsServer,
};

export async function bringUp(options: BringUpOptions): Promise<LocalCluster> {
  const watchdog = startWatchdog();
  const directory = await mkdtemp(path.join(options.temporaryDirectory, 'minifleet-cluster-'));
  await watchdog.removeDirectory(directory);
  let cluster: LocalCluster | undefined;
  try {
    const plan = await makePlan(options, directory);
    cluster = await assemble(plan, options, watchdog);
    await startAll(cluster, plan, options);
    return cluster;
  } catch (error) {
    await (cluster?.stop() ?? watchdog.close());
    throw error;
  }
}

async function makePlan(options: BringUpOptions, directory: string): Promise<ClusterPlan> {
  const { components, serverAddresses, extraFlags, failureDirectory } = options;
  const numbers = await findFreePorts(PORT_NAMES.length);
  const ports = Object.fromEntries(PORT_NAMES.map((name, index) => [name, numbers[index]])) as Ports;
  const pki = await createClusterPki(path.join(directory, 'pki'), serverAddresses);
  await mkdir(path.join(directory, 'logs'));
  return { directory, components, ports, pki, serverAddresses, extraFlags, failureDirectory };
}

async function assemble(plan: ClusterPlan, options: BringUpOptions, watchdog: Watchdog): Promise<LocalCluster> {
  const write = (user: 'admin' | 'capi-core' | 'kube-controller-manager' | 'kube-scheduler' | 'metrics-server') =>
    writeUserKubeconfig(plan, user, plan.pki.identities[user]);
  const [admin, capi] = await Promise.all([
    write('admin'),
    write('capi-core'),
    write('kube-controller-manager'),
    write('kube-scheduler'),
    write('metrics-server'),
  ]);
  const webhook = webhookCertificateDirectory(plan);
  await cp(pkiFile(plan, 'loopback-serving.crt'), path.join(webhook, 'tls.crt'));
  await cp(pkiFile(plan, 'loopback-serving.key'), path.join(webhook, 'tls.key'));
  const components = plan.components.map(name => {
    const binary = options.binaries[name] ?? name;
    return new RunningComponent({ definition: DEFINITIONS[name], binary, plan, watchdog });
  });
  return new LocalCluster({ plan, kubeconfigs: { admin, capi }, components, watchdog });
}

type Start = (name: Component) => Promise<void>;

async function startAll(cluster: LocalCluster, plan: ClusterPlan, options: BringUpOptions): Promise<void> {
  const client = createHttpsClient(serverUrl(plan), cluster.kubeconfigs.admin);
  const start: Start = async name => {
    if (!plan.components.includes(name)) return;
    const step = options.reporter.step(`starting ${name}`);
    try {
      await cluster.component(name).start();
      step.done();
    } catch (error) {
      step.failed('it did not become ready');
      throw error;
    }
  };
  try {
    await start('etcd');
    await start('kube-apiserver');
    // All are awaited even if one fails, so that none starts after the clean-up.
    const results = await Promise.allSettled([
      startControllerManager(client, plan, start),
      start('kube-scheduler'),
      createAccessRules(client).then(() => startCapi(client, plan, { start, options })),
      startMetricsServer(client, plan, start),
    ]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  } finally {
    client.close();
  }
}

async function startControllerManager(client: HttpsClient, plan: ClusterPlan, start: Start): Promise<void> {
  await start('kube-controller-manager');
  if (plan.components.includes('kube-controller-manager')) await untilPodsAreAccepted(client);
}

async function startCapi(
  client: HttpsClient,
  plan: ClusterPlan,
  { start, options }: { start: Start; options: BringUpOptions },
): Promise<void> {
  if (!plan.components.includes('capi-core')) return;
  const manifests = await readCapiManifests(options.binaries['capi-manifests'] ?? '');
  const address = {
    url: `https://127.0.0.1:${plan.ports.capiWebhook}`,
    certificateAuthority: plan.pki.authorities.cluster.certificate,
  };
  const step = options.reporter.step('creating the CRDs of Cluster API');
  await createCrds(client, manifests, address);
  step.done();
  await start('capi-core');
  await createWebhooks(client, manifests, address);
}

async function startMetricsServer(client: HttpsClient, plan: ClusterPlan, start: Start): Promise<void> {
  if (!plan.components.includes('metrics-server')) return;
  await createMetricsAccess(client);
  await start('metrics-server');
  await registerMetricsApi(client, plan);
}

const SERVICE_ACCOUNT_DEADLINE = 30_000;

/** Waits until Pods are accepted: the API server rejects them until the controller manager created the default service account. */
async function untilPodsAreAccepted(client: HttpsClient): Promise<void> {
  const account = '/api/v1/namespaces/default/serviceaccounts/default';
  const made = await waitUntil(async () => (await client.request(account)).status === 200, {
    deadline: SERVICE_ACCOUNT_DEADLINE,
  });
  if (!made)
    throw setupRefused(
      'Pods',
      `the controller manager created no service account within ${SERVICE_ACCOUNT_DEADLINE / 1000} s`,
    );
}
