import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  kinds,
  type MacHost,
  type MachineKind,
  macHost,
  machineKinds,
  names,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { systemClock, timestamp } from '@minifleet/clock';
import { eventuallyHolds } from '@minifleet/clock/testing';
import {
  type Client,
  connectClient,
  customResourceDefinitions,
  type KubeObject,
  namespaces,
  nodes,
  readKubeconfig,
} from '@minifleet/kube';
import { findBinaries, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { memoryId, memoryVendor } from '@minifleet/vendors/testing';
import { capiMachines, clusters } from '../cluster-api/kinds.ts';
import { noted, passed, phase } from './phase.ts';
import { provisionPhases } from './reconcile-machine.ts';
import { fakeForge } from './testing/fakes.ts';
import { POOL, settings } from './testing/settings.ts';
import { endJobs, type StartedControllers, startControllers } from './testing/start-controllers.ts';

const namespace = 'default';
const hosts = macHost.resource;
const [rented, owned] = machineKinds as [MachineKind, MachineKind];
const merge = (body: object) => ({ type: 'merge', body }) as const;

/** Fails on the machine with the name `failed`. */
const bootstrap = phase('HostBootstrapped', async ({ machine, host }) => {
  if (machine.metadata.name === 'failed') return noted('StepFailed', 'step agent-job: it does not stay up');
  return host?.status?.servedSince ? passed('HostBootstrapped') : noted('DriftFound', 'not bootstrapped yet');
});

describe('the columns of kubectl get, on a real kube-apiserver', () => {
  let cluster: LocalCluster;
  let client: Client;
  let controllers: StartedControllers;
  let jobs: NodeJS.Timeout;
  const vendor = memoryVendor({ servers: [1, 2, 3, 4].map(number => ({ name: `${POOL}${number}` })) });

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    await installKinds();
    await client.create(namespaces, { metadata: { name: settings.leaseNamespace } });
    const { uid: clusterId = '' } = (await client.get(namespaces, { name: 'kube-system' })).metadata;
    controllers = startControllers({
      ...{ client, vendor, clusterId, clock: systemClock, forge: fakeForge(), effects: [], onEvent: () => undefined },
      phases: provisionPhases.map(one => (one.condition === bootstrap.condition ? bootstrap : one)),
    });
    jobs = setInterval(() => endJobs(controllers.jobs), 100);
    await client.create(clusters, { metadata: { namespace, name: 'mac' }, spec: { paused: false } });
    const status = { initialization: { infrastructureProvisioned: true } };
    await client.patch(clusters, { namespace, name: 'mac' }, merge({ status }), { subresource: 'status' });
  });
  after(async () => {
    clearInterval(jobs);
    controllers?.abort();
    await controllers?.running;
    await client?.close();
    await cluster?.stop();
  });

  async function installKinds(): Promise<void> {
    const { 'capi-manifests': path } = await findBinaries({ programs: ['capi-manifests'] });
    const { crds } = JSON.parse(await readFile(path, 'utf8')) as { crds: KubeObject[] };
    const needed = [clusters, capiMachines].map(({ plural, group }) => `${plural}.${group}`);
    const ours = kinds.map(kind => kind.crd() as unknown as KubeObject);
    for (const crd of [...ours, ...crds.filter(({ metadata }) => needed.includes(metadata.name))]) {
      await client.create(customResourceDefinitions, crd as never);
    }
    for (const one of [...kinds.map(kind => kind.resource), clusters, capiMachines]) {
      await eventuallyHolds(async () => void (await client.list(one as typeof clusters)));
    }
  }

  async function machine({ resource }: MachineKind, name: string, spec: object): Promise<void> {
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
      spec: spec as never,
    });
  }

  /** Registers the Node of a machine as Ready. */
  async function join({ resource }: MachineKind, name: string): Promise<void> {
    let providerID = '';
    await eventuallyHolds(async () => {
      providerID = (await client.get(resource, { namespace, name })).spec.providerID ?? '';
      assert.notEqual(providerID, '');
    });
    await client.create(nodes, { metadata: { name }, spec: { providerID } });
    const status = { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] };
    await client.patch(nodes, { name }, merge({ status }), { subresource: 'status' });
  }

  async function table(...argv: readonly string[]): Promise<string> {
    const { kubectl } = await findBinaries({ programs: ['kubectl'] });
    const fixed = ['--kubeconfig', cluster.kubeconfigs.admin.path, '--namespace', namespace, 'get'];
    const { stdout } = await promisify(execFile)(kubectl, [...fixed, ...argv]);
    return stdout.trimEnd();
  }
  const header = async (kind: string): Promise<string> => {
    const [line = ''] = (await table(kind)).split('\n');
    return line.trimEnd().replaceAll(/ {2,}/g, ' ');
  };
  const lineOf = (kind: string, name: string): Promise<string> => table(kind, name, '--no-headers');

  /** A MacHost of another cluster: these controllers leave its status alone. */
  async function hostElsewhere(number: number, status: NonNullable<MacHost['status']>): Promise<string> {
    const name = memoryId(number);
    const { group, kind } = scalewayAppleSiliconMachine.resource;
    const source = { scaleway: { zone: 'nl-ams-1', serverID: name } };
    const consumerRef = { apiGroup: group, kind, namespace, name: `other-${number}`, uid: 'u' };
    const desired = { nodeName: `other-${number}` };
    const spec = { source, pool: POOL, claimEpoch: 1, consumerRef, desired, clusterID: 'another cluster' };
    await client.create(hosts, { metadata: { name }, spec });
    await client.patch(hosts, { name }, merge({ status }), { subresource: 'status' });
    return name;
  }

  test('kubectl get samm shows where a machine is stuck: ready, failed, waiting for a host, being deleted', async () => {
    for (const name of ['ready', 'failed']) {
      await machine(rented, name, { os: 'Tahoe' });
      await join(rented, name);
    }
    await machine(rented, 'waiting', { os: 'Tahoe', adoptPoolPrefix: 'empty-' });
    await eventuallyHolds(async () => {
      assert.match(await lineOf('samm', 'ready'), /^ready +mac +ready +5e70e700-\S+ +True +\S+$/);
      assert.match(
        await lineOf('samm', 'failed'),
        /False +\S+ +HostBootstrapped StepFailed: step agent-job: it does not stay up$/,
      );
      assert.match(
        await lineOf('samm', 'waiting'),
        /^waiting +mac +waiting +False +\S+ +HostClaimed NoHostAvailable: /,
      );
    });
    assert.equal(await header('samm'), 'NAME CLUSTER MACHINE HOST STEP READY AGE WHY');
    vendor.failNext({ call: 'reinstall', when: 'before', times: 99 });
    await client.delete(rented.resource, { namespace, name: 'failed' });
    await eventuallyHolds(async () =>
      assert.match(await lineOf('samm', 'failed'), /False +\S+ +Deleting ReturningHost: memory: reinstall/),
    );
  });

  test('kubectl get machosts shows free, serving, restarting and quarantined hosts', async () => {
    const restarting = await hostElsewhere(7, {
      state: 'Restarting',
      currentStep: 'sudo',
      hardware: { macOS: 'macos-tahoe-26.3' },
      conditions: [
        {
          ...{ type: 'Ready', status: 'False', reason: 'NotReady', lastTransitionTime: timestamp(systemClock.now()) },
          message: 'Restarting: the restart is requested',
        },
      ],
    });
    const items = await client.list(hosts);
    const free = items.items.filter(({ spec }) => !spec.consumerRef).map(({ metadata }) => metadata.name);
    const [available = '', quarantined = ''] = free;
    const serving = items.items.find(({ spec }) => spec.consumerRef?.name === 'ready')?.metadata.name ?? '';
    await client.patch(hosts, { name: quarantined }, merge({ spec: { quarantine: { reason: 'the fan is loud' } } }));
    await eventuallyHolds(async () => {
      assert.match(await lineOf('mac', available), /^\S+ +Available +tuist-pool- +macos-tahoe-26.3 +\d+s$/);
      assert.match(await lineOf('mac', serving), /^\S+ +Serving +tuist-pool- +ready +ready +macos-tahoe-26.3 +\d+s$/);
      assert.match(
        await lineOf('mac', restarting),
        /^\S+ +Restarting +tuist-pool- +other-7 +other-7 +macos-tahoe-26.3 +sudo +\d+s +Restarting: the restart is requested$/,
      );
      assert.match(
        await lineOf('mac', quarantined),
        /^\S+ +Quarantined +tuist-pool- +macos-tahoe-26.3 +\d+s +Quarantined: the fan is loud$/,
      );
    });
    assert.equal(await header('machosts'), 'NAME STATE POOL CONSUMER NODE MACOS STEP AGE WHY');
  });

  test('kubectl get macmachines shows a machine on an owned Mac and one that waits', async () => {
    const source = { owned: { address: '192.0.2.11', port: 22, user: 'admin', os: 'macos-tahoe-26.3' } };
    await client.create(hosts, { metadata: { name: 'mini-01' }, spec: { source, pool: 'desk', claimEpoch: 0 } });
    await machine(owned, 'on-desk', { pool: 'desk' });
    await join(owned, 'on-desk');
    await machine(owned, 'off-desk', { pool: 'desk' });
    await eventuallyHolds(async () => {
      assert.match(await lineOf('macmachines', 'on-desk'), /^on-desk +mac +on-desk +mini-01 +True +\S+$/);
      assert.match(
        await lineOf('macm', 'off-desk'),
        /^off-desk +mac +off-desk +False +\S+ +HostClaimed NoHostAvailable: pool desk: 1 host, 1 held$/,
      );
    });
    assert.equal(await header('macmachines'), await header('samm'));
    assert.equal((await client.get(nodes, { name: 'on-desk' })).spec?.providerID, 'machost://mini-01');
  });

  test('a machine returns its host under the rules of the real API server', async () => {
    vendor.heal();
    await client.delete(rented.resource, { namespace, name: 'ready' });
    await eventuallyHolds(async () =>
      assert.equal(await client.find(rented.resource, { namespace, name: 'ready' }), undefined),
    );
    await eventuallyHolds(async () => assert.equal(vendor.all().filter(({ name }) => name.startsWith(POOL)).length, 4));
  });
});
