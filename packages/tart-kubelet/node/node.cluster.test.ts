import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import {
  type ApiRequest,
  type Client,
  connectClient,
  leases,
  type Node,
  nodes,
  readKubeconfig,
  silentLog,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { certificateOf, type NodeCredential } from '../identity/certificate-store.ts';
import { createIdentity } from '../identity/node-identity.ts';
import { approveServing, bootstrapText, createBootstrapToken } from '../identity/testing/joining.ts';
import { createNode, type MacNode } from './create-node.ts';
import { fails, holds, type NodeFinding } from './finding.ts';
import { settingsForTests } from './testing/node-for-tests.ts';
import { wellOptions } from './testing/well-options.ts';

interface RunningNode {
  readonly node: MacNode;
  readonly requests: ApiRequest[];
  readonly reasons: string[];
  session: NodeFinding;
  stop(): Promise<void>;
}

describe('a Mac as a Node of a real cluster', () => {
  let cluster: LocalCluster;
  let admin: Client;

  before(async () => {
    cluster = await startLocalCluster({
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
      // Impatient: a Node whose heartbeat fails is Unknown within the time of a test.
      extraFlags: {
        'kube-controller-manager': {
          'node-monitor-grace-period': '15s',
          'node-startup-grace-period': '15s',
          'node-monitor-period': '1s',
        },
      },
    });
    admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  });
  after(async () => {
    await admin?.close();
    await cluster?.stop();
  });

  async function start(name: string, providerId = `scw-applesilicon://fr-par-1/${name}`): Promise<RunningNode> {
    const requests: ApiRequest[] = [];
    const reasons: string[] = [];
    const { path } = await cluster.nodeKubeconfig(name);
    const client = connectClient(readKubeconfig(path), {
      clock: systemClock,
      onRequest: request => requests.push(request),
    });
    const stop = new AbortController();
    const running: RunningNode = {
      requests,
      reasons,
      session: holds('AquaSession', 'a session is open'),
      node: createNode({
        ...wellOptions(name, client),
        events: { record: ({ reason }) => void reasons.push(reason), flush: async () => undefined },
        settings: settingsForTests({ name, providerId }),
        guiSession: async () => running.session,
      }),
      async stop() {
        stop.abort();
        await ended;
        await client.close();
      },
    };
    const ended = running.node.run(stop.signal);
    return running;
  }

  const get = (name: string): Promise<Node> => admin.get(nodes, { name });
  const condition = (node: Node, type: string) => node.status?.conditions?.find(one => one.type === type);
  const untilReady = (name: string): Promise<Node> =>
    eventually(async () => {
      const node = await get(name);
      return condition(node, 'Ready')?.status === 'True' && node;
    });
  const statusWrites = ({ requests }: RunningNode): number =>
    requests.filter(({ path }) => path.endsWith('/status')).length;

  test('a Mac joins as a Node with provider ID, taints, labels and a full status', async () => {
    const running = await start('full');
    const node = await untilReady('full');
    assert.equal(node.spec?.providerID, 'scw-applesilicon://fr-par-1/full');
    const taints = node.spec?.taints?.map(({ key, value, effect }) => [key, value, effect].join(' '));
    assert.ok(taints?.includes('tuist.dev/macos true NoSchedule'), String(taints));
    assert.ok(taints?.includes('node.cluster.x-k8s.io/uninitialized  NoSchedule'), String(taints));
    assert.equal(node.metadata.labels?.['kubernetes.io/os'], 'darwin');
    const full = await eventually(async () => {
      const { status } = await get('full');
      return status?.capacity?.['ephemeral-storage'] && status.images?.length && status;
    });
    assert.equal(full.capacity?.['minifleet.dev/macos-vm'], '2');
    assert.equal(full.capacity?.['memory'], '16Gi');
    assert.deepEqual(full.declaredFeatures, ['GuaranteedQoSPodCPUResize', 'RestartAllContainersOnContainerExits']);
    assert.equal(full.nodeInfo?.kubeletVersion, 'v1.36.4');
    assert.equal(node.metadata.labels?.['minifleet.dev/agent-version'], '0.1.0');
    assert.equal(full.daemonEndpoints?.kubeletEndpoint?.Port, 10_250);
    assert.deepEqual(full.addresses, [
      { type: 'InternalIP', address: '10.32.0.9' },
      { type: 'Hostname', address: 'full' },
    ]);
    await running.stop();
  });

  test('a Node stays Ready beyond the monitor grace period by its Lease, without status writes', async () => {
    const running = await start('steady');
    await untilReady('steady');
    await eventually(async () => (await get('steady')).status?.images?.length);
    const writes = statusWrites(running);
    const key = { namespace: 'kube-node-lease', name: 'steady' };
    const first = (await eventually(() => admin.find(leases, key))).spec?.renewTime ?? '';
    const at = systemClock.now();
    await eventually(
      async () => {
        assert.equal(condition(await get('steady'), 'Ready')?.status, 'True');
        return systemClock.now() - at > seconds(17);
      },
      { deadline: seconds(120), interval: seconds(0.5) },
    );
    const renewed = (await admin.get(leases, key)).spec;
    assert.ok((renewed?.renewTime ?? '') > first);
    assert.equal(renewed?.leaseDurationSeconds, 40);
    assert.equal(statusWrites(running), writes);
    await running.stop();
    await eventually(async () => condition(await get('steady'), 'Ready')?.status === 'Unknown', {
      deadline: seconds(120),
      what: 'the stopped agent to be missed',
    });
  });

  test('I37 a Node deleted by hand is back within a second, with provider ID, taints, Lease and Ready', async () => {
    const running = await start('deleted');
    const { metadata, spec } = await untilReady('deleted');
    const at = systemClock.now();
    await admin.delete(nodes, { name: 'deleted' });
    const back = await eventually(async () => {
      const node = await admin.find(nodes, { name: 'deleted' });
      return node && node.metadata.uid !== metadata.uid && node;
    });
    assert.ok(systemClock.now() - at < 1_000, `${systemClock.now() - at}ms`);
    assert.equal(back.spec?.providerID, spec?.providerID);
    assert.ok(back.spec?.taints?.some(({ key }) => key === 'tuist.dev/macos'));
    assert.equal(condition(back, 'Ready')?.status, 'True');
    await eventuallyHolds(async () => {
      const lease = await admin.get(leases, { namespace: 'kube-node-lease', name: 'deleted' });
      assert.equal(lease.metadata.ownerReferences?.[0]?.uid, back.metadata.uid);
    });
    await running.stop();
  });

  test('a Node continues Lease renewals and status changes after an API server restart', async () => {
    const running = await start('patient');
    await untilReady('patient');
    await cluster.component('kube-apiserver').restart();
    running.session = fails('NoAquaSession', 'm1 has no GUI session');
    running.node.probes.guiSession.checkNow();
    await eventuallyHolds(async () => assert.equal(condition(await get('patient'), 'Ready')?.status, 'False'));
    const renewed = async (): Promise<string> =>
      (await admin.get(leases, { namespace: 'kube-node-lease', name: 'patient' })).spec?.renewTime ?? '';
    const before = await renewed();
    await eventually(async () => (await renewed()) > before);
    await running.stop();
  });

  test('a Mac joins with a token, becomes a Node, and gets a serving certificate for its addresses', async context => {
    const directory = mkdtempSync(join(tmpdir(), 'join-'));
    context.after(() => rmSync(directory, { recursive: true, force: true }));
    const id = 'jjjjjj';
    await createBootstrapToken(admin, id);
    const bootstrapKubeconfig = join(directory, 'bootstrap');
    writeFileSync(bootstrapKubeconfig, bootstrapText(cluster, id));
    let mac: MacNode | undefined;
    const identity = createIdentity({
      clock: systemClock,
      log: silentLog,
      nodeName: 'joining',
      bootstrapKubeconfig,
      directory: join(directory, 'pki'),
      servingHosts: () => mac?.hosts() ?? [],
      onChange: () => mac?.refresh(),
    });
    const stop = new AbortController();
    const ended = identity.run(stop.signal);
    await identity.joined;
    mac = createNode({
      ...wellOptions('joining', identity.client),
      certificates: () => identity.finding(),
      onAddresses: () => identity.addressesChanged(),
    });
    const served = mac.run(stop.signal);
    await untilReady('joining');
    await eventuallyHolds(async () =>
      assert.equal(condition(await get('joining'), 'CertificatesReady')?.reason, 'WaitingForApproval'),
    );
    await approveServing(admin, 'joining');
    await eventuallyHolds(async () =>
      assert.equal(condition(await get('joining'), 'CertificatesReady')?.reason, 'CertificatesValid'),
    );
    const { promise, resolve } = Promise.withResolvers<NodeCredential>();
    identity.onServingCredential(resolve);
    const certificate = certificateOf(await promise);
    assert.ok(certificate.checkIP('10.32.0.9') && certificate.checkHost('joining'));
    stop.abort();
    await Promise.all([ended, served]);
  });

  test('I20 a Node without a provider ID gets one, and a Node with another one keeps it', async () => {
    await admin.create(nodes, { metadata: { name: 'empty' } });
    await admin.create(nodes, { metadata: { name: 'taken' }, spec: { providerID: 'other://1' } });
    const both = [await start('empty'), await start('taken')];
    await Promise.all(['empty', 'taken'].map(untilReady));
    assert.equal((await get('empty')).spec?.providerID, 'scw-applesilicon://fr-par-1/empty');
    assert.equal((await get('taken')).spec?.providerID, 'other://1');
    await Promise.all(both.map(running => running.stop()));
  });

  test('a lost GUI session makes the Node NotReady with an event; foreign conditions stay', async () => {
    const running = await start('session');
    await untilReady('session');
    const foreign = { type: 'Foreign', status: 'True', reason: 'x', message: 'x' };
    const body = { status: { conditions: [foreign] } };
    await admin.patch(nodes, { name: 'session' }, { type: 'strategic', body }, { subresource: 'status' });
    running.session = fails('NoAquaSession', 'm1 has no GUI session');
    running.node.probes.guiSession.checkNow();
    await eventuallyHolds(async () => {
      const node = await get('session');
      assert.equal(condition(node, 'GUISessionReady')?.reason, 'NoAquaSession');
      assert.equal(condition(node, 'Ready')?.reason, 'KubeletNotReady');
      assert.equal(condition(node, 'Foreign')?.status, 'True');
    });
    await eventually(() => running.reasons.includes('NodeNotReady') && running.reasons.includes('NoAquaSession'));
    await running.stop();
  });
});
