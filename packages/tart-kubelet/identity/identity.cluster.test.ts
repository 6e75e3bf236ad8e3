import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type Clock, minutes, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type Client,
  certificateSigningRequests,
  configMaps,
  connectClient,
  isForbidden,
  nodes,
  pods,
  readKubeconfig,
  secrets,
  silentLog,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { createCertificateStore, type NodeCredential } from './certificate-store.ts';
import { clientTerms } from './certificate-terms.ts';

import { createIdentity, type IdentityOptions, type NodeIdentity } from './node-identity.ts';
import { issueForTests } from './testing/issue-for-tests.ts';
import { approveServing, bootstrapText, createBootstrapToken } from './testing/joining.ts';

interface Joined {
  readonly identity: NodeIdentity;
  readonly directory: string;
  readonly serving: NodeCredential[];
  stop(): Promise<void>;
}

describe('the identity of a node in a real cluster', () => {
  let cluster: LocalCluster;
  let admin: Client;

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  });
  after(async () => {
    await admin?.close();
    await cluster?.stop();
  });

  async function bootstrapKubeconfig(directory: string, id: string): Promise<void> {
    await createBootstrapToken(admin, id);
    writeFileSync(join(directory, 'bootstrap'), bootstrapText(cluster, id), { mode: 0o600 });
  }

  function temporary(context: TestContext): string {
    const directory = mkdtempSync(join(tmpdir(), 'identity-'));
    context.after(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
  }

  function open(directory: string, options: Partial<IdentityOptions> & Pick<IdentityOptions, 'nodeName'>): Joined {
    const serving: NodeCredential[] = [];
    const identity = createIdentity({
      clock: systemClock,
      log: silentLog,
      bootstrapKubeconfig: join(directory, 'bootstrap'),
      directory: join(directory, 'pki'),
      servingHosts: () => ['10.32.0.9', options.nodeName],
      ...options,
    });
    identity.onServingCredential(credential => void serving.push(credential));
    const stop = new AbortController();
    const running = identity.run(stop.signal);
    return {
      identity,
      directory,
      serving,
      async stop() {
        stop.abort();
        await running;
      },
    };
  }

  async function joinCluster(context: TestContext, nodeName: string, id: string): Promise<Joined> {
    const directory = temporary(context);
    await bootstrapKubeconfig(directory, id);
    const joined = open(directory, { nodeName });
    context.after(() => joined.stop());
    await joined.identity.joined;
    return joined;
  }

  test('a host joins with its token and gets a client and a serving certificate', async context => {
    const { identity, directory, serving } = await joinCluster(context, 'mac-1', 'aaaaaa');
    await identity.client.create(nodes, { metadata: { name: 'mac-1' } });
    await eventually(() => identity.finding().reason === 'WaitingForApproval');
    await approveServing(admin, 'mac-1');
    const { certificate } = await eventually(() => serving[0]);
    const parsed = new X509Certificate(certificate);
    assert.ok(parsed.checkIP('10.32.0.9') && parsed.checkHost('mac-1'));
    assert.ok(parsed.verify(new X509Certificate(cluster.certificateAuthority).publicKey));
    assert.equal(identity.finding().status, 'True');
    assert.deepEqual(readdirSync(join(directory, 'pki')).sort(), ['client.pem', 'kubeconfig', 'serving.pem']);
    const asPerson = connectClient(readKubeconfig(identity.kubeconfig), { clock: systemClock });
    assert.equal((await asPerson.get(nodes, { name: 'mac-1' })).metadata.name, 'mac-1');
    await asPerson.close();
  });

  test('the credentials of a node give access to its own Node only, and to no foreign Secrets', async context => {
    const { identity } = await joinCluster(context, 'mac-2', 'bbbbbb');
    const { client } = identity;
    await admin.create(nodes, { metadata: { name: 'other' } });
    const taints = [{ key: 'own', effect: 'NoSchedule' as const }];
    await client.create(nodes, { metadata: { name: 'mac-2' }, spec: { taints } });
    const forbidden: readonly Promise<unknown>[] = [
      client.create(nodes, { metadata: { name: 'mac-99' } }),
      client.get(nodes, { name: 'other' }),
      client.patch(nodes, { name: 'other' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } }),
      client.delete(nodes, { name: 'mac-2' }),
      client.list(nodes),
      client.list(pods),
      client.list(secrets, { namespace: 'kube-system' }),
      client.get(secrets, { namespace: 'kube-system', name: 'bootstrap-token-bbbbbb' }),
      client.get(configMaps, { namespace: 'kube-system', name: 'extension-apiserver-authentication' }),
      client.patch(nodes, { name: 'mac-2' }, { type: 'merge', body: { spec: { taints: [] } } }),
    ];
    for (const [index, outcome] of (await Promise.allSettled(forbidden)).entries()) {
      assert.ok(outcome.status === 'rejected' && isForbidden(outcome.reason), `${index}: ${JSON.stringify(outcome)}`);
    }
    const selection = { fieldSelector: 'spec.nodeName=mac-2' };
    assert.deepEqual((await client.list(pods, selection)).items, []);
  });

  test('a restarted agent joins with the certificate on disk, without its bootstrap token', async context => {
    const first = await joinCluster(context, 'mac-3', 'cccccc');
    await first.identity.client.create(nodes, { metadata: { name: 'mac-3' } });
    await first.stop();
    await admin.delete(secrets, { namespace: 'kube-system', name: 'bootstrap-token-cccccc' });
    unlinkSync(join(first.directory, 'bootstrap'));
    const second = open(first.directory, { nodeName: 'mac-3' });
    await second.identity.joined;
    assert.equal((await second.identity.client.get(nodes, { name: 'mac-3' })).metadata.name, 'mac-3');
    await second.stop();
  });

  test('an agent without a certificate and without a token fails to join and reports the next action', async context => {
    const lost = open(temporary(context), { nodeName: 'mac-4' });
    await assert.rejects(lost.identity.joined, {
      code: 'NODE_CANNOT_JOIN',
      message: /write one with a new bootstrap token/,
    });
    await assert.rejects(lost.stop());
  });

  test('both certificates of a node are renewed when most of their lifetime is over', async context => {
    const directory = temporary(context);
    await bootstrapKubeconfig(directory, 'dddddd');
    let off = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + off };
    const joined = open(directory, { nodeName: 'mac-5', clock, expirationSeconds: 600 });
    context.after(() => joined.stop());
    await joined.identity.joined;
    await joined.identity.client.create(nodes, { metadata: { name: 'mac-5' } });
    await approveServing(admin, 'mac-5');
    await eventually(() => joined.serving.length === 1);
    await joined.stop();
    // Ten minutes is the shortest life there is: the agent comes back when nine and a half of them are over.
    off = minutes(9.5);
    const again = open(directory, { nodeName: 'mac-5', clock, expirationSeconds: 600 });
    context.after(() => again.stop());
    const [before] = joined.serving;
    await approveServing(admin, 'mac-5');
    await eventually(() => again.serving.length === 2);
    assert.equal(again.serving[0]?.certificate, before?.certificate);
    assert.notEqual(again.serving[1]?.key, before?.key);
    const clientRequests = await eventually(async () => {
      const fieldSelector = 'spec.signerName=kubernetes.io/kube-apiserver-client-kubelet';
      const { items } = await admin.list(certificateSigningRequests, { fieldSelector });
      const own = items.filter(({ spec }) => spec.username === 'system:node:mac-5');
      return own.length === 1 && own;
    });
    assert.equal(clientRequests[0]?.spec.expirationSeconds, 600);
    assert.equal((await again.identity.client.get(nodes, { name: 'mac-5' })).metadata.name, 'mac-5');
    await eventually(() => again.identity.finding().reason === 'CertificatesValid');
  });

  test('a host with an expired certificate reports NodeCannotJoin until a new token lets it join', async context => {
    const directory = temporary(context);
    await bootstrapKubeconfig(directory, 'ffffff');
    const first = open(directory, { nodeName: 'mac-7', expirationSeconds: 600 });
    await first.identity.joined;
    await first.stop();
    unlinkSync(join(directory, 'bootstrap'));
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + minutes(11) };
    const again = open(directory, { nodeName: 'mac-7', clock });
    context.after(() => again.stop());
    await eventually(() => again.identity.finding().reason === 'NodeCannotJoin');
    await bootstrapKubeconfig(directory, 'gggggg');
    await again.identity.joined;
    assert.equal(await again.identity.client.find(nodes, { name: 'mac-7' }), undefined);
  });

  test('a client certificate of another cluster is replaced with the bootstrap token of this one', async context => {
    const directory = temporary(context);
    await bootstrapKubeconfig(directory, 'hhhhhh');
    const foreign = issueForTests(clientTerms('mac-8'), {
      from: systemClock.now() - minutes(1),
      to: systemClock.now() + minutes(1_000),
    });
    await createCertificateStore({ directory: join(directory, 'pki'), name: 'client' }).keep(foreign);
    const joined = open(directory, { nodeName: 'mac-8' });
    context.after(() => joined.stop());
    const node = await eventually(() => joined.identity.client.create(nodes, { metadata: { name: 'mac-8' } }));
    assert.equal(node.metadata.name, 'mac-8');
  });

  test('a denied serving CSR is reported and repeated; a new address requests a new certificate', async context => {
    const directory = temporary(context);
    await bootstrapKubeconfig(directory, 'eeeeee');
    let hosts = ['10.32.0.9'];
    const joined = open(directory, {
      nodeName: 'mac-6',
      servingHosts: () => hosts,
    });
    context.after(() => joined.stop());
    await joined.identity.joined;
    await approveServing(admin, 'mac-6', 'Denied');
    await eventually(() => joined.identity.finding().reason === 'CertificateRequestDenied');
    await approveServing(admin, 'mac-6');
    await eventually(() => joined.serving.length === 1);
    hosts = ['10.32.0.10'];
    joined.identity.addressesChanged();
    await approveServing(admin, 'mac-6');
    const [, second] = await eventually(() => joined.serving.length === 2 && joined.serving);
    assert.ok(new X509Certificate(second?.certificate ?? '').checkIP('10.32.0.10'));
  });
});
