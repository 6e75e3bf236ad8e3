import assert from 'node:assert/strict';
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as path } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type InfraMachine, machineKinds, scalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type CertificateSigningRequest,
  type Client,
  certificateSigningRequests,
  connectClient,
  createMetrics,
  createRuntime,
  events,
  isForbidden,
  nodes,
  parseKubeconfig,
  readKubeconfig,
  secrets,
  silentLog,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import type { NodeCredential } from '@minifleet/tart-kubelet/testing/identity';
import { createIdentity, type IdentityOptions } from '@minifleet/tart-kubelet/testing/identity';
import { memoryId, memoryServer, memoryVendor } from '@minifleet/vendors/testing';
import { addIndexes, machineIndexes } from '../cluster-api/machine-indexes.ts';
import { createCredentials } from '../credentials/credentials.ts';
import { addJoin } from './add-join.ts';
import type { Join } from './join.ts';
import { createHeldHost, createMachine, PROVIDER_USER, prepareCluster } from './testing/access.ts';
import { cluster as clusterApi } from './testing/join-bench.ts';

/** Permission check of the Kubernetes approver for client certificates of Nodes. */
async function isApprovedByTheCluster(asker: Client): Promise<boolean> {
  const resourceAttributes = {
    group: certificateSigningRequests.group,
    resource: certificateSigningRequests.plural,
    subresource: 'nodeclient',
    verb: 'create',
  };
  const review = await asker.send({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
  });
  return (JSON.parse(review) as { readonly status: { readonly allowed: boolean } }).status.allowed;
}

const OURS = 'CheckedByMinifleet';

describe('join on a real API server with the RBAC in config/rbac', () => {
  let cluster: LocalCluster;
  let admin: Client;
  let provider: Client;
  let join: Join;
  const stop = new AbortController();
  let running: Promise<void> | undefined;

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    await prepareCluster(admin);
    const { path: own } = await cluster.userKubeconfig(PROVIDER_USER);
    provider = connectClient(readKubeconfig(own), { clock: systemClock });
    await eventually(() => provider.list(scalewayAppleSiliconMachine.resource));
    const common = { client: provider, clock: systemClock, log: silentLog };
    const runtime = createRuntime({
      name: 'minifleet.dev/provider',
      identity: 'one',
      metrics: createMetrics(),
      ...common,
    });
    for (const { resource } of machineKinds) addIndexes(runtime.informer(resource, {}), machineIndexes);
    join = addJoin(runtime, {
      ...common,
      client: runtime.client,
      random: randomBytes,
      ca: cluster.certificateAuthority,
      server: cluster.server,
      settings: { tokenLife: minutes(30) },
      machines: {},
      fence: async () => undefined,
    });
    running = runtime.run(stop.signal);
  });
  after(async () => {
    stop.abort();
    await running;
    await Promise.all([provider?.close(), admin?.close()]);
    await cluster?.stop();
  });

  /** The machine's kubeconfig, as its host is given it. */
  async function kubeconfigOf(machine: InfraMachine): Promise<string> {
    const { kubeconfig } = await join.material(machine, { ...clusterApi, spec: {} });
    return kubeconfig.reveal().toString();
  }

  /** The agent's own identity, started with this kubeconfig. */
  function startAgent(
    context: TestContext,
    kubeconfig: string,
    options: Pick<IdentityOptions, 'nodeName' | 'servingHosts'>,
  ) {
    const directory = mkdtempSync(path(tmpdir(), 'join-'));
    writeFileSync(path(directory, 'bootstrap'), kubeconfig, { mode: 0o600 });
    const serving: NodeCredential[] = [];
    const identity = createIdentity({
      clock: systemClock,
      log: silentLog,
      bootstrapKubeconfig: path(directory, 'bootstrap'),
      directory: path(directory, 'pki'),
      ...options,
    });
    identity.onServingCredential(credential => void serving.push(credential));
    const end = new AbortController();
    const agent = identity.run(end.signal);
    context.after(async () => {
      end.abort();
      await agent;
      rmSync(directory, { recursive: true, force: true });
    });
    const denial = () =>
      eventually(() => {
        const finding = identity.finding();
        return finding.reason === 'CertificateRequestDenied' ? finding : undefined;
      });
    return { identity, serving, denial };
  }

  async function requestsFrom(username: string): Promise<CertificateSigningRequest[]> {
    const { items } = await admin.list(certificateSigningRequests);
    return items.filter(({ spec }) => spec.username === username);
  }

  test('A5 a host joins with its own token, gets both certificates and has only Node permissions', async context => {
    const host = memoryId(1);
    const machine = await createMachine(admin, 'mac-1', { host, address: '10.32.0.9' });
    const kubeconfig = await kubeconfigOf(machine);
    const { identity, serving } = startAgent(context, kubeconfig, {
      nodeName: 'mac-1',
      servingHosts: () => ['10.32.0.9', 'mac-1'],
    });
    await identity.joined;
    const { providerID = '' } = machine.spec;
    await identity.client.create(nodes, { metadata: { name: 'mac-1' }, spec: { providerID } });
    const { certificate } = await eventually(() => serving[0]);
    const parsed = new X509Certificate(certificate);
    assert.ok(parsed.checkIP('10.32.0.9') && parsed.checkHost('mac-1'));
    assert.ok(parsed.verify(new X509Certificate(cluster.certificateAuthority).publicKey));

    const [token] = (
      await provider.list(secrets, {
        namespace: 'kube-system',
        labelSelector: `minifleet.dev/machine-uid=${machine.metadata.uid}`,
      })
    ).items;
    const tokenId = token?.metadata.name.replace('bootstrap-token-', '');
    const requests = [
      ...(await requestsFrom(`system:bootstrap:${tokenId}`)),
      ...(await requestsFrom('system:node:mac-1')),
    ];
    assert.deepEqual(
      requests.map(({ status }) => status?.conditions?.map(({ type, reason }) => `${type} ${reason}`)),
      [[`Approved ${OURS}`], [`Approved ${OURS}`]],
    );
    assert.equal(join.servingRequests(machine).length, 1);

    const asNode = [
      identity.client.create(nodes, { metadata: { name: 'mac-99' } }),
      identity.client.list(secrets, { namespace: 'fleet' }),
      identity.client.list(nodes),
    ];
    for (const outcome of await Promise.allSettled(asNode)) {
      assert.ok(outcome.status === 'rejected' && isForbidden(outcome.reason), JSON.stringify(outcome));
    }
    await join.withdraw(machine);
    assert.equal(await admin.find(secrets, { namespace: 'kube-system', name: token?.metadata.name ?? '' }), undefined);
    assert.equal((await identity.client.get(nodes, { name: 'mac-1' })).spec?.providerID, providerID);
  });

  test('a bootstrap token can only request a certificate, and cannot approve it', async context => {
    const machine = await createMachine(admin, 'mac-2', { host: memoryId(2), address: '10.32.0.10' });
    const joining = connectClient(parseKubeconfig(await kubeconfigOf(machine), { path: 'given' }), {
      clock: systemClock,
    });
    context.after(() => joining.close());
    const [anyRequest] = (await admin.list(certificateSigningRequests)).items;
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Own', message: '' }];
    const tries = [
      joining.list(nodes),
      joining.create(nodes, { metadata: { name: 'mac-2' } }),
      joining.list(secrets, { namespace: 'kube-system' }),
      joining.list(scalewayAppleSiliconMachine.resource),
      ...(anyRequest
        ? [
            joining.update(
              certificateSigningRequests,
              { ...anyRequest, status: { conditions } },
              { subresource: 'approval' },
            ),
          ]
        : []),
    ];
    assert.equal(tries.length, 5);
    for (const outcome of await Promise.allSettled(tries)) {
      assert.ok(outcome.status === 'rejected' && isForbidden(outcome.reason), JSON.stringify(outcome));
    }
    assert.equal(await isApprovedByTheCluster(joining), false);
  });

  test('a bootstrap token gets no certificate for the Node of another machine', async context => {
    const machine = await createMachine(admin, 'mac-3', { host: memoryId(3), address: '10.32.0.11' });
    await createMachine(admin, 'mac-4', { host: memoryId(4), address: '10.32.0.12' });
    const kubeconfig = await kubeconfigOf(machine);
    const { identity, denial } = startAgent(context, kubeconfig, { nodeName: 'mac-4', servingHosts: () => [] });
    identity.joined.catch(() => undefined);
    assert.match((await denial()).message, /its subject is system:node:mac-4 instead of that of Node mac-3/);
    const { items } = await admin.list(certificateSigningRequests);
    const denied = items.filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Denied'));
    assert.ok(denied.length > 0);
    assert.ok(denied.every(({ status }) => status?.certificate === undefined));
    await eventually(async () => {
      const { items: reported } = await admin.list(events, { namespace: 'fleet' });
      return reported.some(({ reason, regarding }) => reason === 'RequestDenied' && regarding?.name === 'mac-3');
    });
  });

  test('a serving request with a foreign address is denied with a message', async context => {
    const machine = await createMachine(admin, 'mac-5', { host: memoryId(5), address: '10.32.0.13' });
    const { identity, denial, serving } = startAgent(context, await kubeconfigOf(machine), {
      nodeName: 'mac-5',
      servingHosts: () => ['10.99.0.1', 'mac-5'],
    });
    await identity.joined;
    const { providerID = '' } = machine.spec;
    await identity.client.create(nodes, { metadata: { name: 'mac-5' }, spec: { providerID } });
    assert.match(
      (await denial()).message,
      /requests the address 10\.99\.0\.1, but the known addresses are 10\.32\.0\.13/,
    );
    assert.deepEqual(serving, []);
    const [request] = await requestsFrom('system:node:mac-5');
    assert.deepEqual(
      request?.status?.conditions?.map(({ type, reason }) => [type, reason]),
      [['Denied', OURS]],
    );
  });

  test('the RBAC in config/rbac is sufficient for the credentials of a host', async () => {
    const machine = await createMachine(admin, 'mac-6', { host: memoryId(6), address: '10.32.0.14' });
    const host = await createHeldHost(admin, machine);
    const vendor = memoryVendor();
    const credentials = createCredentials({
      client: provider,
      clusterId: 'test',
      clock: systemClock,
      log: silentLog,
      random: randomBytes,
      vendor,
    });
    const key = await credentials.fleetKey(host);
    assert.equal((await credentials.fleetKey(host)).publicKey, key.publicKey);
    const { password } = await credentials.access(host, memoryServer(6));
    assert.ok(password);
    await credentials.pin(host, 'SHA256:first');
    await credentials.passwordRejected(host, password);
    const { hostKey, passwordRejected } = await credentials.access(host, memoryServer(6));
    assert.deepEqual([hostKey, passwordRejected], ['SHA256:first', true]);
    await credentials.forget(host);
    assert.equal(await admin.find(secrets, { namespace: 'fleet', name: `${memoryId(6)}-credentials` }), undefined);
  });
});
