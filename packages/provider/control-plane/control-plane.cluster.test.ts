import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { externalControlPlane, kinds, scalewayAppleSiliconCluster } from '@minifleet/api';
import { type Clock, milliseconds, minutes, seconds, systemClock } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import {
  type Client,
  type CredentialSources,
  connectClient,
  createMetrics,
  createRuntime,
  customResourceDefinitions,
  isConditionTrue,
  PROGRAM_NAMESPACE as NAMESPACE,
  namespaces,
  parseKubeconfig,
  type Runtime,
  readKubeconfig,
  secrets,
  serviceAccounts,
  silentLog,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { addClusterControllers } from '../cluster/cluster-controller.ts';
import { clusters } from '../cluster-api/kinds.ts';
import { settings } from '../machines/testing/settings.ts';
import { CAPI_REMOTE, PROVIDER } from '../program/access.ts';
import { applyAccess, tokenOf } from '../program/testing/apply-access.ts';
import { controlPlaneController } from './control-plane-controller.ts';
import { kubeconfigText, tokenIn } from './mint-kubeconfig.ts';
import { readOwnServer } from './own-server.ts';
import { createProbe } from './probe-kubeconfig.ts';

const controlPlanes = externalControlPlane.resource;
const infraClusters = scalewayAppleSiliconCluster.resource;
const key = { namespace: NAMESPACE, name: 'mac' };
const secretKey = { namespace: NAMESPACE, name: 'mac-kubeconfig' };
/** Core tries again to connect every 30 s. */
const CORE = { deadline: seconds(180), interval: milliseconds(200) };

describe('control plane on real Cluster API with the RBAC in config/rbac', () => {
  let cluster: LocalCluster;
  let admin: Client;
  let ours: CredentialSources;
  let client: Client;
  let running: Promise<void>;
  const stop = new AbortController();
  /** Offset of the test clock to the API server. */
  let ahead = milliseconds(0);
  /** Runs the 30 s check every second. */
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    after: (duration, callback) => systemClock.after(milliseconds(duration / 30), callback),
  };

  before(async () => {
    cluster = await startLocalCluster({
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'capi-core'],
    });
    const sources = readKubeconfig(cluster.kubeconfigs.admin.path);
    admin = connectClient(sources, { clock: systemClock });
    for (const kind of kinds)
      await admin.apply(customResourceDefinitions, kind.crd() as never, { fieldManager: 'test' });
    await applyAccess(cluster, admin);
    const { authority } = sources;
    ours = { server: sources.server, ...(authority && { authority }), token: { data: await tokenOf(admin, PROVIDER) } };
    client = connectClient(ours, { clock: systemClock });
    const runtime = createRuntime({
      ...{ name: 'test.dev/provider', identity: 'test', client, clock, log: silentLog, metrics: createMetrics() },
    });
    addControllers(runtime);
    running = runtime.run(stop.signal);
    const reference = ({ group, kind }: { group: string; kind: string }) => ({ apiGroup: group, kind, name: 'mac' });
    await eventually(() => admin.create(infraClusters, { metadata: key, spec: {} }));
    await eventually(() => admin.create(controlPlanes, { metadata: key, spec: { kubeconfigSource: 'Minted' } }));
    await admin.create(clusters, {
      metadata: key,
      spec: { infrastructureRef: reference(infraClusters), controlPlaneRef: reference(controlPlanes) },
    });
  });
  after(async () => {
    stop.abort();
    await running;
    await client.close();
    await admin.close();
    await cluster.stop();
  });

  function addControllers(runtime: Runtime): void {
    const own = { ...settings, clusterKubeconfig: { ...settings.clusterKubeconfig, life: minutes(10) } };
    addClusterControllers(runtime, own);
    const ownServer = () => readOwnServer(ours);
    const server = ours.server.href;
    runtime.add(controlPlaneController({ settings: own, ownServer, server, probe: createProbe(systemClock) }));
  }

  const text = async (): Promise<string> => {
    const { data } = await admin.get(secrets, secretKey);
    return Buffer.from(data?.['value'] ?? '', 'base64').toString();
  };
  const probe = (kubeconfig: string) => createProbe(systemClock)(kubeconfig, 'test', stop.signal);
  const coreSays = async (type: string): Promise<void> =>
    eventuallyHolds(async () => {
      const { status } = await admin.get(clusters, key);
      const found = status?.conditions?.find(condition => condition.type === type);
      assert.equal(found?.status, 'True', `${type} ${found?.reason} ${found?.message}`);
    }, CORE);

  test('I15 Cluster API finds infrastructure and control plane, and connects with the minted kubeconfig', async () => {
    for (const type of ['InfrastructureReady', 'ControlPlaneInitialized', 'ControlPlaneAvailable'])
      await coreSays(type);
    await coreSays('RemoteConnectionProbe');
    const { spec, status } = await admin.get(clusters, key);
    assert.deepEqual(spec?.controlPlaneEndpoint, { host: '127.0.0.1', port: Number(ours.server.port) });
    assert.equal(status?.initialization?.infrastructureProvisioned, true);
    const ecp = await admin.get(controlPlanes, key);
    assert.ok(isConditionTrue(ecp, 'Ready'));
    assert.match(ecp.status?.version ?? '', /^v1\.36\./);
    assert.equal(ecp.status?.externalManagedControlPlane, true);
  });

  test('the minted kubeconfig has only the permissions that Cluster API needs', async () => {
    assert.deepEqual((await probe(await text())).kind, 'answered');
    const remote = connectClient(parseKubeconfig(await text(), { path: 'minted' }), { clock: systemClock });
    try {
      await remote.list(namespaces);
      await assert.rejects(remote.list(secrets, { namespace: NAMESPACE }), /cannot list resource "secrets"/);
    } finally {
      await remote.close();
    }
  });

  test('I15 a deleted, overwritten or unknown kubeconfig is repaired', async () => {
    const first = await text();
    await admin.delete(secrets, secretKey);
    await eventuallyHolds(async () => assert.equal((await probe(await text())).kind, 'answered'));
    const forged = (await text()).replace(tokenIn(await text()) ?? '', `${tokenIn(first)?.slice(0, -8)}AAAAAAAA`);
    for (const broken of ['nonsense', forged]) {
      const body = { data: { value: Buffer.from(broken).toString('base64') } };
      await admin.patch(secrets, secretKey, { type: 'merge', body });
      await eventuallyHolds(async () => assert.equal((await probe(await text())).kind, 'answered'));
    }
    await coreSays('RemoteConnectionProbe');
  });

  test('the kubeconfig is renewed at half of its lifetime, and Cluster API stays connected', async () => {
    const before = await text();
    ahead = minutes(5.5);
    await eventuallyHolds(async () => assert.notEqual(await text(), before));
    ahead = milliseconds(0);
    assert.equal((await probe(await text())).kind, 'answered');
    await coreSays('RemoteConnectionProbe');
  });

  test('a kubeconfig probe distinguishes all failures and never reveals the token', async () => {
    const own = await readOwnServer(ours);
    const made = (token: string, more = {}) => kubeconfigText('mac', { ...own, ...more }, token);
    const nobody = await admin.create(serviceAccounts, { metadata: { namespace: NAMESPACE, name: 'nobody' } });
    const token = await tokenOf(admin, nobody.metadata.name);
    const answers = {
      unknown: await probe(made('unknown-token')),
      rightless: await probe(made(token)),
      elsewhere: await probe(made(token, { url: 'https://127.0.0.1:1' })),
      program: await probe(
        JSON.stringify({ ...JSON.parse(made(token)), users: [{ name: CAPI_REMOTE, user: { exec: {} } }] }),
      ),
    };
    assert.deepEqual(Object.fromEntries(Object.entries(answers).map(([name, { kind }]) => [name, kind])), {
      unknown: 'rejected',
      rightless: 'rejected',
      elsewhere: 'unreachable',
      program: 'unusable',
    });
    assert.deepEqual(
      [answers.unknown, answers.rightless].map(answer => 'known' in answer && answer.known),
      [false, true],
    );
    assert.equal(JSON.stringify(answers).includes(token.slice(0, 40)), false);
  });

  test('deleting the Cluster removes everything and revokes the minted token', async () => {
    const last = await text();
    await admin.delete(clusters, key);
    await eventually(async () => (await admin.find(clusters, key)) === undefined, CORE);
    assert.equal(await admin.find(controlPlanes, key), undefined);
    assert.equal(await admin.find(infraClusters, key), undefined);
    // The garbage collector learns of new kinds every 30 s.
    await eventually(async () => (await admin.find(secrets, secretKey)) === undefined, CORE);
    // The API server caches token authentication for ten seconds.
    await eventuallyHolds(async () => assert.equal((await probe(last)).kind, 'rejected'), { deadline: seconds(180) });
  });
});
