import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { eventuallyHolds } from '@minifleet/clock/testing';
import {
  accountSubject,
  bindingObject,
  type Client,
  connectClient,
  PROGRAM_NAMESPACE as NAMESPACE,
  namespaces,
  pods,
  readKubeconfig,
} from '@minifleet/kube';
import { accessReview, type MayAsk } from '@minifleet/kube/testing';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { CAPI_REMOTE, CREDENTIALS_ROLE, PROVIDER } from './access.ts';
import { applyAccess, tokenOf } from './testing/apply-access.ts';

const provider = `system:serviceaccount:${NAMESPACE}:${PROVIDER}`;
const remote = `system:serviceaccount:${NAMESPACE}:${CAPI_REMOTE}`;
const signers = 'signers.certificates.k8s.io';
const requests = 'certificatesigningrequests.certificates.k8s.io';

/** Who, may or may not, what (`verb resource[.group][/subresource] [name]`), and where. */
const table: readonly [string, 'yes' | 'no', string, string?][] = [
  [provider, 'yes', 'patch scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io'],
  [provider, 'yes', 'patch externalcontrolplanes.controlplane.cluster.x-k8s.io/status'],
  [provider, 'yes', 'patch macmachines.infrastructure.cluster.x-k8s.io/status'],
  [provider, 'yes', 'patch macclusters.infrastructure.cluster.x-k8s.io/status'],
  [provider, 'yes', 'create machosts.minifleet.dev'],
  [provider, 'yes', 'patch machosts.minifleet.dev/status'],
  [provider, 'no', 'delete machosts.minifleet.dev'],
  [provider, 'yes', 'delete hostclaims.infrastructure.cluster.x-k8s.io'],
  // A provider of the version before, in a rolling upgrade, must not write a HostClaim again after its conversion.
  [provider, 'no', 'create hostclaims.infrastructure.cluster.x-k8s.io'],
  [provider, 'no', 'update hostclaims.infrastructure.cluster.x-k8s.io'],
  [provider, 'no', 'delete scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io'],
  [provider, 'no', 'create scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io'],
  [provider, 'yes', 'watch clusters.cluster.x-k8s.io'],
  [provider, 'no', 'patch clusters.cluster.x-k8s.io'],
  [provider, 'no', 'delete machines.cluster.x-k8s.io'],
  [provider, 'yes', 'patch machines.cluster.x-k8s.io/status'],
  [provider, 'no', 'patch machines.cluster.x-k8s.io'],
  [provider, 'yes', 'watch nodes'],
  [provider, 'no', 'patch nodes'],
  [provider, 'yes', 'delete nodes'],
  [provider, 'yes', 'patch pods'],
  [provider, 'no', 'delete pods'],
  [provider, 'no', 'create pods'],
  [provider, 'no', 'create pods/exec'],
  [provider, 'yes', 'get namespaces kube-system'],
  [provider, 'no', 'get namespaces default'],
  [provider, 'yes', `update ${requests}/approval`],
  [provider, 'yes', `approve ${signers} kubernetes.io/kubelet-serving`],
  [provider, 'yes', `approve ${signers} kubernetes.io/kube-apiserver-client-kubelet`],
  [provider, 'no', `approve ${signers} kubernetes.io/kube-apiserver-client`],
  [provider, 'yes', 'get secrets', NAMESPACE],
  [provider, 'no', 'list secrets', NAMESPACE],
  [provider, 'yes', 'list secrets', 'kube-system'],
  [provider, 'no', 'get secrets', 'default'],
  [provider, 'no', 'create secrets', 'default'],
  [provider, 'yes', `create serviceaccounts/token ${CAPI_REMOTE}`, NAMESPACE],
  [provider, 'no', `create serviceaccounts/token ${PROVIDER}`, NAMESPACE],
  [provider, 'no', `create serviceaccounts/token default`, 'kube-system'],
  [provider, 'yes', 'update leases.coordination.k8s.io', NAMESPACE],
  [provider, 'no', 'update leases.coordination.k8s.io', 'kube-system'],
  [provider, 'yes', 'create events.events.k8s.io', 'default'],
  [provider, 'no', 'create clusterrolebindings.rbac.authorization.k8s.io'],
  [provider, 'no', 'escalate clusterroles.rbac.authorization.k8s.io'],
  [remote, 'yes', 'delete nodes'],
  [remote, 'yes', 'create pods/eviction', 'default'],
  [remote, 'yes', 'list volumeattachments.storage.k8s.io'],
  [remote, 'yes', 'get daemonsets.apps', 'default'],
  [remote, 'yes', 'get /'],
  [remote, 'no', 'get secrets', NAMESPACE],
  [remote, 'no', 'delete pods', 'default'],
  [remote, 'no', 'create nodes'],
  [remote, 'no', 'get /metrics'],
];

describe('the rights in config/rbac', () => {
  let cluster: LocalCluster;
  let admin: Client;
  let client: Client;
  let may: MayAsk;

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    const { server, authority } = readKubeconfig(cluster.kubeconfigs.admin.path);
    admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    may = accessReview(admin);
    await applyAccess(cluster, admin);
    const token = { data: await tokenOf(admin, PROVIDER) };
    client = connectClient({ server, ...(authority && { authority }), token }, { clock: systemClock });
  });
  after(async () => {
    await client.close();
    await admin.close();
    await cluster.stop();
  });

  for (const [who, answer, what, where] of table) {
    const name = who.slice(who.lastIndexOf(':') + 1);
    test(`${name} ${answer === 'yes' ? 'may' : 'may not'} ${what}${where ? ` in ${where}` : ''}`, async () => {
      await eventuallyHolds(async () => assert.equal(await may(who, what, where), answer));
    });
  }

  test('only the provider approves certificate requests of its bootstrap tokens', async () => {
    const token = 'system:bootstrap:abcdef';
    assert.equal(await may(token, `create ${requests}`), 'yes');
    assert.equal(await may(token, `create ${requests}/nodeclient`), 'no');
    assert.equal(await may(token, 'get nodes'), 'no');
  });

  test('a fleet in a namespace of its own needs one RoleBinding there, and then its Secrets can be read', async () => {
    await admin.create(namespaces, { metadata: { name: 'runners' } });
    const mayRead = () => may(provider, 'get secrets', 'runners');
    assert.equal(await mayRead(), 'no');
    const subject = accountSubject(PROVIDER);
    await admin.send({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/namespaces/runners/rolebindings',
      body: bindingObject({ name: CREDENTIALS_ROLE, role: CREDENTIALS_ROLE, namespace: 'runners', subject }),
    });
    await eventuallyHolds(async () => assert.equal(await mayRead(), 'yes'));
  });

  test('of a Pod the provider can take off the older agent’s finalizer, and change nothing else', async () => {
    const { vmCleanup } = names.finalizers;
    const key = { namespace: 'default', name: 'held' };
    const labels = { app: 'runner' };
    const spec = { containers: [{ name: 'vm', image: 'macos' }] };
    await admin.create(pods, { metadata: { ...key, labels, finalizers: ['others.dev/x', vmCleanup] }, spec });
    const patch = (body: object, dryRun = false) => client.patch(pods, key, { type: 'merge', body }, { dryRun });
    const refused: readonly [object, RegExp][] = [
      [{ spec: { containers: [{ name: 'vm', image: 'other' }] } }, /may not change the spec/],
      [{ metadata: { labels: { app: 'other' } } }, /may not change the labels/],
      [{ metadata: { labels: null } }, /may not change the labels/],
      [{ metadata: { annotations: { new: 'one' } } }, /may not change the annotations/],
      [{ metadata: { finalizers: [vmCleanup] } }, /may remove only the finalizer/],
      [{ metadata: { finalizers: ['others.dev/x', vmCleanup, 'new.dev/x'] } }, /may remove only the finalizer/],
    ];
    for (const [body, sentence] of refused) {
      // A policy is in force a moment after it was made; what slips through before must leave no trace.
      await eventuallyHolds(() => assert.rejects(patch(body, true), sentence));
    }
    const freed = await patch({ metadata: { finalizers: ['others.dev/x'] } });
    assert.deepEqual(freed.metadata.finalizers, ['others.dev/x']);
    await admin.patch(pods, key, { type: 'merge', body: { metadata: { labels: { app: 'theirs' } } } });
  });
});
