import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import {
  type Client,
  configMaps,
  connectClient,
  events,
  isForbidden,
  type KubeObject,
  type Pod,
  pods,
  type Resource,
  readKubeconfig,
  secrets,
  serviceAccounts,
} from '@minifleet/kube';
import { findBinaries, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { type SyntheticNode, startSyntheticNode } from './testing/synthetic-node.ts';

interface Deployment extends KubeObject {
  spec: object;
  status?: { updatedReplicas?: number; availableReplicas?: number; replicas?: number; observedGeneration?: number };
}

const deployments: Resource<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
};

const namespace = 'default';
const run = promisify(execFile);
const resources = { limits: { 'minifleet.dev/macos-vm': '1' } };

describe('Pods of synthetic nodes on a real Kubernetes, with a node’s rights', () => {
  let cluster: LocalCluster;
  let admin: Client;
  let kubectl: string;
  let macs: SyntheticNode[];

  before(async () => {
    const components = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
    cluster = await startLocalCluster({ components: [...components] });
    admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    kubectl = (await findBinaries({ programs: ['kubectl'] })).kubectl ?? '';
    await eventually(() => admin.find(serviceAccounts, { namespace, name: 'default' }));
    macs = [];
    for (const name of ['mac-1', 'mac-2']) macs.push(await startSyntheticNode(cluster, admin, name));
  });
  after(async () => {
    for (const mac of macs) await mac.stop();
    await admin.close();
    await cluster.stop();
  });

  const call = async (...argv: string[]): Promise<string> => {
    const options = { timeout: seconds(60) };
    return (await run(kubectl, ['--kubeconfig', cluster.kubeconfigs.admin.path, ...argv], options)).stdout;
  };
  const list = async (app: string): Promise<Pod[]> =>
    (await admin.list(pods, { namespace, labelSelector: `app=${app}` })).items;
  const guestUids = (): string[] => macs.flatMap(({ guests }) => guests.all().map(({ spec }) => spec.id.uid)).sort();
  const uidsOf = (some: readonly Pod[]): string[] => some.map(({ metadata }) => metadata.uid ?? '').sort();

  const bare = (name: string, spec: Partial<NonNullable<Pod['spec']>> = {}): Promise<Pod> =>
    admin.create(pods, {
      metadata: { namespace, name, labels: { app: name } },
      spec: { containers: [{ name: 'vm', image: 'registry.example/macos:15', resources }], ...spec },
    });
  const phaseOf = async (name: string): Promise<string | undefined> =>
    (await admin.find(pods, { namespace, name }))?.status?.phase;

  async function available(replicas: number): Promise<void> {
    await eventuallyHolds(async () => {
      const { status, metadata } = await admin.get(deployments, { namespace, name: 'web' });
      const seen = [status?.observedGeneration, status?.updatedReplicas, status?.availableReplicas, status?.replicas];
      assert.deepEqual(seen, [metadata.generation, replicas, replicas, replicas]);
    });
  }

  test('a Deployment becomes available with environment, Secret and ServiceAccount token', async () => {
    await admin.create(configMaps, { metadata: { namespace, name: 'settings' }, data: { COLOUR: 'red' } });
    await admin.create(secrets, { metadata: { namespace, name: 'keys' }, stringData: { key: 'hush' } });
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'vm',
            image: 'registry.example/macos:15',
            resources,
            envFrom: [{ configMapRef: { name: 'settings' } }],
            env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'key' } } }],
          },
        ],
      },
    };
    const selector = { matchLabels: { app: 'web' } };
    await admin.create(deployments, {
      metadata: { namespace, name: 'web' },
      spec: { replicas: 2, selector, template },
    });
    await available(2);
    const [spec] = macs.flatMap(({ guests }) => guests.started);
    const share = (name: string): string => spec?.shares.find(one => one.name.startsWith(name))?.path ?? '';
    assert.equal(readFileSync(path.join(share('env'), 'environment'), 'utf8'), 'COLOUR=red\0KEY=hush');
    assert.match(readFileSync(path.join(share('kube-api-access'), 'token'), 'utf8'), /^eyJ/);
    assert.match(readFileSync(path.join(share('kube-api-access'), 'ca.crt'), 'utf8'), /BEGIN CERTIFICATE/);
    assert.equal(readFileSync(path.join(share('kube-api-access'), 'namespace'), 'utf8'), 'default');
  });

  test('the node may not read a Secret that none of its Pods uses', async () => {
    await admin.create(secrets, { metadata: { namespace, name: 'of-others' }, stringData: { key: 'x' } });
    await assert.rejects(
      macs[0]?.client.get(secrets, { namespace, name: 'of-others' }) ?? Promise.resolve(),
      isForbidden,
    );
  });

  test('Pod status and conditions have the observedGeneration of the Pod', async () => {
    const [pod] = await list('web');
    assert.equal(pod?.status?.observedGeneration, pod?.metadata.generation);
    const own = pod?.status?.conditions?.filter(({ type }) => type !== 'PodScheduled') ?? [];
    for (const condition of own) assert.equal(condition.observedGeneration, pod?.metadata.generation, condition.type);
  });

  test('no status is written for unchanged Pods', async () => {
    const versions = async (): Promise<unknown[]> =>
      (await list('web')).map(({ metadata }) => metadata.resourceVersion);
    const seen = await versions();
    await call('get', 'pods', '-o', 'wide');
    await bare('passer-by');
    await eventually(async () => (await phaseOf('passer-by')) === 'Running');
    await call('delete', 'pod', 'passer-by');
    assert.deepEqual(await versions(), seen);
  });

  test('kubectl describe pod shows the events of a kubelet', async () => {
    await eventuallyHolds(async () => {
      const { items } = await admin.list(events, { namespace });
      const reasons = new Set(items.filter(one => one.reportingController === 'kubelet').map(({ reason }) => reason));
      for (const reason of ['Pulled', 'Created', 'Started']) assert.ok(reasons.has(reason), reason);
    });
    const [pod] = await list('web');
    assert.match(await call('describe', 'pod', pod?.metadata.name ?? ''), /Started\s.*kubelet\s+Started container vm/);
  });

  test('a rollout of a Deployment leaves only guests of the new Pods', async () => {
    const before = uidsOf(await list('web'));
    await call('set', 'env', 'deployment/web', 'ROUND=two');
    await call('rollout', 'status', 'deployment/web', '--timeout=180s');
    await available(2);
    await eventuallyHolds(async () => {
      const now = uidsOf(await list('web'));
      assert.equal(now.length, 2);
      assert.ok(now.every(uid => !before.includes(uid)));
      assert.deepEqual(guestUids(), now);
    });
  });

  test('kubectl drain leaves no guest on the node, and its Pods run elsewhere', async () => {
    const [first, second] = macs;
    await call('drain', 'mac-1', '--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=180s');
    assert.equal(first?.guests.all().length, 0);
    await available(2);
    assert.equal(second?.guests.all().length, 2);
    await call('uncordon', 'mac-1');
  });

  test('a force-deleted Pod leaves no guest behind', async () => {
    const { metadata } = await bare('forced');
    await eventually(async () => (await phaseOf('forced')) === 'Running');
    await call('delete', 'pod', 'forced', '--force', '--grace-period=0');
    await eventually(() => !guestUids().includes(metadata.uid ?? ''), { what: 'the guest to be gone' });
  });

  test('a Pod recreated under the same name gets a new guest', async () => {
    const first = await bare('again');
    await eventually(async () => (await phaseOf('again')) === 'Running');
    await call('delete', 'pod', 'again', '--force', '--grace-period=0');
    const second = await bare('again');
    await eventually(async () => (await phaseOf('again')) === 'Running');
    await eventuallyHolds(() => {
      assert.ok(guestUids().includes(second.metadata.uid ?? ''));
      assert.ok(!guestUids().includes(first.metadata.uid ?? ''));
    });
    await call('delete', 'pod', 'again');
    assert.ok(!guestUids().includes(second.metadata.uid ?? ''));
  });

  test('a Pod waits for a missing Secret and runs when it exists', async () => {
    const env = [{ name: 'LATE', valueFrom: { secretKeyRef: { name: 'late', key: 'key' } } }];
    await bare('waiting', { containers: [{ name: 'vm', image: 'registry.example/macos:15', resources, env }] });
    await eventuallyHolds(async () => {
      const pod = await admin.get(pods, { namespace, name: 'waiting' });
      assert.equal(pod.status?.containerStatuses?.[0]?.state?.waiting?.reason, 'CreateContainerConfigError');
    });
    await admin.create(secrets, { metadata: { namespace, name: 'late' }, stringData: { key: 'x' } });
    await eventually(async () => (await phaseOf('waiting')) === 'Running');
    await call('delete', 'pod', 'waiting');
  });

  test('a Pod with an unsupported field fails with a reason', async () => {
    await bare('refused', { hostNetwork: true });
    await eventually(async () => (await phaseOf('refused')) === 'Failed');
    assert.match(await call('get', 'pod', 'refused'), /HostNetworkNotSupported/);
    await call('delete', 'pod', 'refused');
  });

  for (const restartPolicy of ['Never', 'OnFailure'] as const) {
    test(`kubectl set image restarts a running Pod with restartPolicy ${restartPolicy} with the new image`, async () => {
      await bare('renewed', { restartPolicy });
      await eventually(async () => (await phaseOf('renewed')) === 'Running');
      await call('set', 'image', 'pod/renewed', 'vm=registry.example/macos:16');
      await eventuallyHolds(async () => {
        const { status } = await admin.get(pods, { namespace, name: 'renewed' });
        const [container] = status?.containerStatuses ?? [];
        assert.ok(container?.state?.running);
        assert.deepEqual(
          [status?.phase, container.image, container.restartCount, container.lastState?.terminated?.exitCode],
          ['Running', 'registry.example/macos:16', 1, 0],
        );
      });
      await call('delete', 'pod', 'renewed');
    });
  }

  test('a finished Pod with restartPolicy Never keeps its exit code after its guest is gone', async () => {
    const { metadata } = await bare('job', { restartPolicy: 'Never' });
    await eventually(async () => (await phaseOf('job')) === 'Running');
    const id = { uid: metadata.uid ?? '', attempt: 0 };
    macs.find(({ guests }) => guests.find(id))?.guests.end(id, { exitCode: 3 });
    await eventually(async () => (await phaseOf('job')) === 'Failed');
    await eventually(() => !guestUids().includes(metadata.uid ?? ''));
    const pod = await admin.get(pods, { namespace, name: 'job' });
    assert.equal(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3);
    await call('delete', 'pod', 'job');
  });
});
