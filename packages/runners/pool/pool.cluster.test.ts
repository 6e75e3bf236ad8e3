import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { runnerPool } from '@minifleet/api';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type MemoryForge, memoryForge, memoryResolver } from '@minifleet/forges/testing';
import {
  type Client,
  connectClient,
  createMetrics,
  createRuntime,
  customResourceDefinitions,
  isConditionTrue,
  type KubeObject,
  namespaces,
  nodes,
  pods,
  readKubeconfig,
  secrets,
  silentLog,
} from '@minifleet/kube';
import { findBinaries, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { Secret } from '@minifleet/secret';
import { addRunnerPools } from './pool-controller.ts';

const run = promisify(execFile);
const NAMESPACE = 'tuist-runners';
const key = (name: string) => ({ namespace: NAMESPACE, name });

describe('a pool of runners on a real API server', () => {
  let cluster: LocalCluster;
  let kubectlPath: string;
  let client: Client;
  let forge: MemoryForge;
  let controllers: Promise<void>;
  const stop = new AbortController();
  const kubectl = async (...argv: string[]): Promise<string> =>
    (await run(kubectlPath, ['--kubeconfig', cluster.kubeconfigs.admin.path, '--namespace', NAMESPACE, ...argv]))
      .stdout;

  before(async () => {
    kubectlPath = (await findBinaries({ programs: ['kubectl'] })).kubectl;
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    const crd = runnerPool.crd() as unknown as KubeObject;
    await client.create(customResourceDefinitions, crd as never);
    await kubectl('wait', '--for=condition=Established', '--timeout=180s', `crd/${crd.metadata.name}`);
    await client.create(namespaces, { metadata: { name: NAMESPACE } });
    await client.create(nodes, { metadata: { name: 'mac-1' } });
    await client.create(secrets, { metadata: key('github-app') });
    forge = memoryForge({ clock: systemClock });
    const runtime = createRuntime({
      ...{ name: 'test.dev/runners', identity: 'test', client, clock: systemClock, log: silentLog },
      metrics: createMetrics(),
    });
    addRunnerPools(runtime, {
      ...{ client: runtime.client, clock: systemClock, log: silentLog, events: runtime.events, random: randomBytes },
      resolver: memoryResolver(forge),
      settings: { namespace: NAMESPACE, lookEvery: seconds(1) },
    });
    controllers = runtime.run(stop.signal);
  });
  after(async () => {
    stop.abort();
    await controllers;
    await client.close();
    await cluster.stop();
  });

  const alive = async () => {
    const { items } = await client.list(pods, { namespace: NAMESPACE });
    return items.filter(({ metadata }) => !metadata.deletionTimestamp);
  };
  /** Acts as scheduler and agent: the Pod is on a Mac and its VM runs with the content of its Secret. */
  async function start(name: string): Promise<void> {
    const binding = { metadata: key(name), target: { apiVersion: 'v1', kind: 'Node', name: 'mac-1' } };
    const body = { apiVersion: 'v1', kind: 'Binding', ...binding };
    await client.send({ method: 'POST', path: `/api/v1/namespaces/${NAMESPACE}/pods/${name}/binding`, body });
    const data = await eventually(async () => (await client.get(secrets, key(name))).data?.['jitconfig']);
    const state = { running: { startedAt: new Date().toISOString() } };
    const container = { name: 'runner', image: 'i', imageID: '', ready: true, restartCount: 0, state };
    const status = { phase: 'Running', containerStatuses: [container] };
    await client.patch(pods, key(name), { type: 'merge', body: { status } }, { subresource: 'status' });
    forge.start(new Secret('a configuration', Buffer.from(data, 'base64')));
  }

  test('a RunnerPool gets its defaults, and an invalid one is rejected with a remedy', async () => {
    const { spec } = runnerPool.example;
    const pool = await client.create(runnerPool.resource, { metadata: key('macos'), spec: spec as never });
    const { replicas, podCPUMilli, provisioning, autoscaling, rollout } = pool.spec;
    assert.deepEqual([replicas, podCPUMilli, provisioning.startTimeoutSeconds], [0, 4000, 300]);
    assert.deepEqual([autoscaling.minWarmPoolFloor, rollout.maxConcurrentPercent], [1, 5]);
    const wrong = { ...spec, labels: ['tuist.dev/runner=false'] };
    await assert.rejects(
      client.create(runnerPool.resource, { metadata: key('wrong'), spec: wrong as never }),
      /labels must have the form key=value or key/,
    );
  });

  test('kubectl scale grows a RunnerPool, and its columns show what it waits for', async () => {
    await kubectl('scale', 'rpool/macos', '--replicas=2');
    await eventually(async () => (await alive()).length === 2);
    await eventually(async () => /2 of 2 runners are missing: they are starting/.test(await kubectl('get', 'rpool')));
    const printed = await kubectl('get', 'rpool', '-o', 'wide');
    assert.match(printed, /^NAME +DESIRED +IDLE +BUSY +PENDING +READY +WHY +AGE +IMAGE +FLEET +LABEL\n/);
    assert.match(printed, /macos +2 +0 +0 +2 +False/);
    assert.deepEqual(forge.all(), [], 'no runner without a Node is registered');
    const scale = JSON.parse(await kubectl('get', '--raw', `${path('macos')}/scale`)) as {
      status: { replicas: number; selector: string };
    };
    assert.deepEqual(scale.status, { replicas: 2, selector: 'tuist.dev/runner-pool=macos' });
  });

  test('a RunnerPool is Ready when its runners are online', async () => {
    for (const { metadata } of await alive()) await start(metadata.name);
    await eventually(async () => isConditionTrue(await client.get(runnerPool.resource, key('macos')), 'Ready'));
    assert.match(await kubectl('get', 'rpool', 'macos', '--no-headers'), /^macos +2 +2 +0 +0 +True/);
  });

  test('a RunnerPool replaces a runner after its job', async () => {
    const [first] = await alive();
    const name = first?.metadata.name ?? '';
    forge.takeJob(name);
    await eventually(async () => (await client.get(runnerPool.resource, key('macos'))).status?.busy === 1);
    forge.finishJob(name);
    const now = new Date().toISOString();
    const state = { terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now } };
    const container = { name: 'runner', image: 'i', imageID: '', ready: false, restartCount: 0, state };
    const status = { phase: 'Succeeded', containerStatuses: [container] };
    await client.patch(pods, key(name), { type: 'merge', body: { status } }, { subresource: 'status' });
    await eventually(async () => {
      const names = (await alive()).map(({ metadata }) => metadata.name);
      return names.length === 2 && !names.includes(name);
    });
    await eventually(async () => !(await client.find(secrets, key(name))));
    const { status: shown } = await client.get(runnerPool.resource, key('macos'));
    assert.deepEqual(shown?.ended, { JobDone: 1 });
  });

  test('a deleted RunnerPool removes everything it owned', async () => {
    await kubectl('delete', 'rpool', 'macos', '--wait=false');
    // There is no agent here, so the test releases the Pods that are being deleted, as an agent does.
    await eventually(async () => {
      const { items } = await client.list(pods, { namespace: NAMESPACE });
      const going = items.filter(({ metadata }) => metadata.deletionTimestamp);
      for (const { metadata } of going) await client.delete(pods, key(metadata.name), { gracePeriodSeconds: 0 });
      return !(await client.find(runnerPool.resource, key('macos')));
    });
    assert.deepEqual([forge.all(), await alive()], [[], []]);
    const { items } = await client.list(secrets, { namespace: NAMESPACE });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['github-app'],
    );
  });
});

const path = (name: string): string => `/apis/tuist.dev/v1alpha1/namespaces/${NAMESPACE}/runnerpools/${name}`;
