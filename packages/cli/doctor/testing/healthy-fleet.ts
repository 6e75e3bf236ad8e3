import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  externalControlPlane,
  type HostState,
  type MacHost,
  names,
  type RunnerPool,
  runnerPool,
  type ScalewayAppleSiliconMachine,
} from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import {
  type Client,
  type Condition,
  connectClient,
  type KubeObject,
  namespaces,
  nodes,
  type Resource,
  readKubeconfig,
  PROGRAM_NAMESPACE as SYSTEM,
  secrets,
} from '@minifleet/kube';
import { findBinaries, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { deployments, macHosts, machines } from '../../cluster/resources.ts';
import { hostId } from '../../testing/fleet-cluster.ts';
import { installCrds } from '../../testing/install-crds.ts';

const RULES = fileURLToPath(new URL('../../../../config/rbac', import.meta.url));
/** Old enough for every timeout of the checks. */
export const LONG_AGO = '2026-01-01T00:00:00Z';
export const FLEET = SYSTEM;
export const POOLS = 'tuist-runners';

/** A real API server with Cluster API, the Minifleet CRDs and RBAC, and a healthy fleet of two Macs. */
export interface HealthyFleet {
  readonly cluster: LocalCluster;
  readonly client: Client;
  readonly kubectl: (...argv: readonly string[]) => Promise<string>;
  stop(): Promise<void>;
}

export async function startHealthyFleet(): Promise<HealthyFleet> {
  const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver', 'capi-core'] });
  const { path } = cluster.kubeconfigs.admin;
  const client = connectClient(readKubeconfig(path), { clock: systemClock });
  const binaries = await findBinaries({ programs: ['kubectl'] });
  const kubectl = async (...argv: readonly string[]): Promise<string> =>
    (await promisify(execFile)(binaries.kubectl, ['--kubeconfig', path, ...argv])).stdout;
  await installCrds({ client, clock: systemClock, signal: new AbortController().signal });
  await client.create(namespaces, { metadata: { name: SYSTEM } });
  await kubectl('apply', '-f', RULES);
  await installProgram(client);
  await makeControlPlane(client);
  for (const n of [1, 2]) await makeMac(client, n);
  await makePool(client);
  return {
    ...{ cluster, client, kubectl },
    async stop() {
      await client.close();
      await cluster.stop();
    },
  };
}

const secret = (client: Client, namespace: string, name: string, stringData: Readonly<Record<string, string>>) =>
  client.create(secrets, { metadata: { namespace, name }, stringData });

/** Creates the provider Deployment as the chart does. */
async function installProgram(client: Client): Promise<void> {
  const name = 'minifleet-provider';
  const labels = { 'app.kubernetes.io/part-of': 'minifleet', 'app.kubernetes.io/component': name };
  const env = ['access-key', 'secret-key'].map(key => ({
    name: key.toUpperCase().replace('-', '_'),
    valueFrom: { secretKeyRef: { name: 'scaleway', key } },
  }));
  const template = { metadata: { labels }, spec: { containers: [{ name: 'program', image: 'provider', env }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  await client.create(deployments, { metadata: { namespace: SYSTEM, name, labels }, spec });
  const status = { replicas: 1, readyReplicas: 1 };
  await writeStatus(client, deployments, { namespace: SYSTEM, name }, status);
  await secret(client, SYSTEM, 'scaleway', { 'access-key': 'SCWXXX', 'secret-key': 'not a secret' });
}

/** Returns a kubeconfig whose token expires at the given time, in seconds since 1970. */
export function kubeconfigUntil(end: number): string {
  const payload = Buffer.from(JSON.stringify({ exp: end })).toString('base64url');
  return `users: [{ name: core, user: { token: header.${payload}.signature } }]`;
}

async function makeControlPlane(client: Client): Promise<void> {
  const labels = { [names.clusterApi.clusterNameLabel]: 'macs' };
  await client.create(externalControlPlane.resource, {
    metadata: { namespace: FLEET, name: 'macs', labels },
    spec: { kubeconfigSource: 'Provided' },
  });
  const inADay = Math.floor(systemClock.now() / 1_000) + 86_400;
  await secret(client, FLEET, 'macs-kubeconfig', { value: kubeconfigUntil(inADay) });
}

export const providerID = (n: number): string => `${names.providerIDScheme}://fr-par-1/${hostId(n)}`;

export const condition = (type: string, status: 'True' | 'False', reason: string, message = ''): Condition => ({
  ...{ type, status, reason, message },
  lastTransitionTime: LONG_AGO,
});

const consumerKind = { apiGroup: machines.group, kind: machines.kind };

/** Creates a consistent machine, MacHost and Node of host `n`. */
export async function makeMac(client: Client, n: number): Promise<void> {
  const name = `mac-${n}`;
  const uid = await makeMachine(client, name, {
    providerID: providerID(n),
    claimRef: { name: hostId(n), epoch: 1 },
    conditions: [condition('HostBootstrapped', 'True', 'HostBootstrapped'), condition('Ready', 'True', 'Ready')],
  });
  await makeHost(
    client,
    n,
    { claimEpoch: 1, consumerRef: { ...consumerKind, namespace: FLEET, name, uid } },
    'Serving',
  );
  await makeNode(client, name, { providerID: providerID(n), agent: '0.1.0' });
}

/** Creates the MacHost of a Scaleway server. */
export async function makeHost(
  client: Client,
  n: number,
  spec: Partial<MacHost['spec']>,
  state: HostState = 'Available',
): Promise<void> {
  const [name, pool] = [hostId(n), names.vendorNames.poolPrefix];
  const source = { scaleway: { zone: 'fr-par-1', serverID: name } };
  await client.create(macHosts, { metadata: { name }, spec: { source, pool, claimEpoch: 0, ...spec } });
  await writeStatus(client, macHosts, { name }, { state, stateSince: LONG_AGO });
}

export interface HealthyMachineOptions {
  readonly providerID?: string;
  readonly claimRef?: { readonly name: string; readonly epoch: number };
  readonly conditions: Condition[];
}

/** Creates a machine and returns its UID. */
export async function makeMachine(client: Client, name: string, given: HealthyMachineOptions): Promise<string> {
  const { conditions, ...spec } = given;
  const key = { namespace: FLEET, name };
  const made = await client.create(machines, {
    metadata: key,
    spec: spec as ScalewayAppleSiliconMachine['spec'],
  });
  await writeStatus(client, machines, key, { conditions });
  return made.metadata.uid ?? '';
}

export async function makeNode(
  client: Client,
  name: string,
  given: { readonly providerID: string; readonly agent: string },
): Promise<void> {
  const labels = {
    [names.labels.runtime]: names.labelValues.runtimeTart,
    [names.labels.agentVersion]: given.agent,
    [names.labels.fleet]: 'runners',
  };
  await client.create(nodes, { metadata: { name, labels }, spec: { providerID: given.providerID } });
  await writeStatus(client, nodes, { name }, { conditions: [{ type: 'Ready', status: 'True' }] });
}

async function makePool(client: Client): Promise<void> {
  const { spec } = runnerPool.example as { spec: RunnerPool['spec'] };
  await client.create(runnerPool.resource, { metadata: { namespace: POOLS, name: 'macos-26' }, spec });
  await secret(client, POOLS, 'github-app', { 'app-id': '1', 'installation-id': '2', 'private-key': 'not a key' });
}

export const writeStatus = <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  key: { readonly namespace?: string; readonly name: string },
  status: object,
): Promise<T> => client.patch(resource, key, { type: 'merge', body: { status } }, { subresource: 'status' });
