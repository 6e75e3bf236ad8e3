import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { hostClaim, kinds, names, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { eventuallyHolds } from '@minifleet/clock/testing';
import {
  type Client,
  connectClient,
  createMetrics,
  createRuntime,
  customResourceDefinitions,
  type KubeObject,
  namespaces,
  nodes,
  readKubeconfig,
  silentLog,
} from '@minifleet/kube';
import { findBinaries, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { memoryVendor } from '@minifleet/vendors/testing';
import { createClaims } from '../claims/create-claims.ts';
import { capiMachines, clusters } from '../cluster-api/kinds.ts';
import { addMachineController } from './machine-controller.ts';
import { noted, passed, phase } from './phase.ts';
import { releasePhases } from './release-phases.ts';
import { fakeParts } from './testing/fake-parts.ts';
import { fakeWork } from './testing/fake-work.ts';
import { phasesWith } from './testing/phases.ts';
import { POOL } from './testing/settings.ts';

const { resource } = scalewayAppleSiliconMachine;
const namespace = 'default';

/** Its program for hosts fails on the machine that is called so. */
const bootstrap = phase('HostBootstrapped', async ({ samm }) =>
  samm.metadata.name === 'failed'
    ? noted('StepFailed', 'step agent-job: it does not stay up')
    : passed('HostBootstrapped'),
);

describe('kubectl get samm, on a real Kubernetes', () => {
  let cluster: LocalCluster;
  let client: Client;
  let running: Promise<void>;
  const stop = new AbortController();
  const vendor = memoryVendor({ servers: [1, 2].map(number => ({ name: `${POOL}${number}` })) });

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    await installKinds();
    running = startController();
    await client.create(clusters, { metadata: { namespace, name: 'mac' }, spec: { paused: false } });
    const status = { initialization: { infrastructureProvisioned: true } };
    await client.patch(
      clusters,
      { namespace, name: 'mac' },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  });
  after(async () => {
    stop.abort();
    await running;
    await client.close();
    await cluster.stop();
  });

  async function installKinds(): Promise<void> {
    const { 'capi-manifests': path } = await findBinaries({ programs: ['capi-manifests'] });
    const { crds } = JSON.parse(await readFile(path, 'utf8')) as { crds: KubeObject[] };
    const wanted = [clusters, capiMachines].map(({ plural, group }) => `${plural}.${group}`);
    const ours = kinds.map(kind => kind.crd() as unknown as KubeObject);
    for (const crd of [...ours, ...crds.filter(({ metadata }) => wanted.includes(metadata.name))]) {
      await client.create(customResourceDefinitions, crd as never);
    }
    for (const one of [...kinds.map(kind => kind.resource), clusters, capiMachines]) {
      await eventuallyHolds(async () => void (await client.list(one as typeof clusters)));
    }
  }

  async function startController(): Promise<void> {
    const clock = systemClock;
    const around = { client, clock, log: silentLog };
    const runtime = createRuntime({ name: 'test.dev/provider', identity: 'one', metrics: createMetrics(), ...around });
    const { uid: clusterId = '' } = (await client.get(namespaces, { name: 'kube-system' })).metadata;
    const { events } = runtime;
    const vendors = { for: async () => vendor, all: () => [vendor] };
    const fakes = fakeParts([]);
    const { cache } = runtime.informer(hostClaim.resource);
    const claims = createClaims({ ...around, events, vendors, settings: fakes.settings, clusterId, cache });
    const parts = { ...fakes, ...around, events, vendors, claims, work: fakeWork() };
    addMachineController(runtime, { parts, phases: phasesWith(bootstrap), release: releasePhases });
    await runtime.run(stop.signal);
  }

  async function machine(name: string): Promise<void> {
    const { group, kind } = resource;
    const owner = await client.create(capiMachines, {
      metadata: { namespace, name },
      spec: {
        clusterName: 'mac',
        bootstrap: { dataSecretName: 'none' },
        infrastructureRef: { apiGroup: group, kind, name },
      },
    });
    const reference = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name, uid: owner.metadata.uid ?? '' };
    const labels = { [names.clusterApi.clusterNameLabel]: 'mac' };
    await client.create(resource, {
      metadata: { namespace, name, labels, ownerReferences: [{ ...reference, controller: true }] },
      spec: { os: 'Tahoe' } as ScalewayAppleSiliconMachine['spec'],
    });
  }

  async function join(name: string): Promise<void> {
    const providerID = await eventuallyProviderID(name);
    await client.create(nodes, { metadata: { name }, spec: { providerID } });
    const status = { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] };
    await client.patch(nodes, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
  }

  async function eventuallyProviderID(name: string): Promise<string> {
    let found = '';
    await eventuallyHolds(async () => {
      found = (await client.get(resource, { namespace, name })).spec.providerID ?? '';
      assert.notEqual(found, '');
    });
    return found;
  }

  async function lineOf(name: string): Promise<string> {
    const { kubectl } = await findBinaries({ programs: ['kubectl'] });
    const argv = ['--kubeconfig', cluster.kubeconfigs.admin.path, '--namespace', namespace, 'get', 'samm', name];
    const { stdout } = await promisify(execFile)(kubectl, [...argv, '--no-headers']);
    return stdout.trimEnd();
  }

  test('tells where a machine is stuck: ready, failed, waiting for a host, going away', async () => {
    for (const name of ['ready', 'failed']) {
      await machine(name);
      await join(name);
    }
    await machine('waiting');
    await eventuallyHolds(async () => {
      assert.match(await lineOf('ready'), /^ready +mac +ready +5e70e700-\S+ +True +\S+$/);
      assert.match(
        await lineOf('failed'),
        /False +\S+ +HostBootstrapped StepFailed: step agent-job: it does not stay up$/,
      );
      assert.match(await lineOf('waiting'), /^waiting +mac +waiting +False +\S+ +HostClaimed NoHostAvailable: /);
    });
    vendor.failNext({ call: 'reinstall', when: 'before', times: 99 });
    await client.delete(resource, { namespace, name: 'failed' });
    await eventuallyHolds(async () => assert.match(await lineOf('failed'), /False +\S+ +Deleting WaitingForVendor: /));
  });

  test('a machine goes back to its pool under the rules of the real API server', async () => {
    vendor.heal();
    await client.delete(resource, { namespace, name: 'ready' });
    await eventuallyHolds(async () =>
      assert.equal(await client.find(resource, { namespace, name: 'ready' }), undefined),
    );
    assert.equal(vendor.all().filter(({ name }) => name.startsWith(POOL)).length, 1);
  });
});
