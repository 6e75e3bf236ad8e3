import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@minifleet/clock';
import { eventuallyHolds } from '@minifleet/clock/testing';
import {
  accountSubject,
  bindingObject,
  type Client,
  connectClient,
  namespaces,
  PROGRAM_NAMESPACE,
  readKubeconfig,
} from '@minifleet/kube';
import { accessReview, type MayAsk } from '@minifleet/kube/testing';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { applyAccess } from '@minifleet/provider/testing/program';
import { POOLS_NAMESPACE, POOLS_ROLE, RUNNERS } from './access.ts';

const runners = `system:serviceaccount:${PROGRAM_NAMESPACE}:${RUNNERS}`;
const pools = 'runnerpools.tuist.dev';

/** May or may not, what (`verb resource[.group][/subresource] [name]`), and where. */
const table: readonly (readonly ['yes' | 'no', string, string?])[] = [
  ['yes', `watch ${pools}`, POOLS_NAMESPACE],
  ['yes', `patch ${pools}`, POOLS_NAMESPACE],
  ['yes', `patch ${pools}/status`, POOLS_NAMESPACE],
  ['no', `create ${pools}`, POOLS_NAMESPACE],
  ['no', `delete ${pools}`, POOLS_NAMESPACE],
  ['no', `patch ${pools}`, 'default'],
  ['yes', 'watch pods', POOLS_NAMESPACE],
  ['yes', 'create pods', POOLS_NAMESPACE],
  ['yes', 'delete pods', POOLS_NAMESPACE],
  ['yes', 'get pods/log', POOLS_NAMESPACE],
  ['no', 'create pods/exec', POOLS_NAMESPACE],
  ['no', 'patch pods', POOLS_NAMESPACE],
  ['no', 'patch pods/status', POOLS_NAMESPACE],
  ['no', 'deletecollection pods', POOLS_NAMESPACE],
  ['no', 'create pods', 'default'],
  ['no', 'list pods'],
  ['yes', 'list secrets', POOLS_NAMESPACE],
  ['yes', 'create secrets', POOLS_NAMESPACE],
  ['yes', 'patch secrets', POOLS_NAMESPACE],
  ['yes', 'delete secrets', POOLS_NAMESPACE],
  ['no', 'get secrets', PROGRAM_NAMESPACE],
  ['no', 'get secrets', 'default'],
  ['no', 'list secrets'],
  ['yes', 'watch nodes'],
  ['no', 'patch nodes'],
  ['no', 'delete nodes'],
  ['yes', 'create events.events.k8s.io', POOLS_NAMESPACE],
  ['yes', 'update leases.coordination.k8s.io', PROGRAM_NAMESPACE],
  ['no', 'update leases.coordination.k8s.io', 'kube-system'],
  ['no', 'create serviceaccounts/token', POOLS_NAMESPACE],
  ['no', 'patch scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io', 'default'],
  ['no', 'delete machines.cluster.x-k8s.io', 'default'],
  ['no', 'create rolebindings.rbac.authorization.k8s.io', POOLS_NAMESPACE],
  ['no', 'escalate clusterroles.rbac.authorization.k8s.io'],
];

describe('the rights of the runners program in config/rbac', () => {
  let cluster: LocalCluster;
  let admin: Client;
  let may: MayAsk;

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    may = accessReview(admin);
    await applyAccess(cluster, admin);
  });
  after(async () => {
    await admin.close();
    await cluster.stop();
  });

  for (const [answer, what, where] of table) {
    test(`the runners program ${answer === 'yes' ? 'may' : 'may not'} ${what}${where ? ` in ${where}` : ''}`, async () => {
      await eventuallyHolds(async () => assert.equal(await may(runners, what, where), answer));
    });
  }

  test('pools in their own namespace need one RoleBinding there', async () => {
    await admin.create(namespaces, { metadata: { name: 'ci' } });
    assert.equal(await may(runners, 'create pods', 'ci'), 'no');
    await admin.send({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/namespaces/ci/rolebindings',
      body: bindingObject({ name: POOLS_ROLE, role: POOLS_ROLE, namespace: 'ci', subject: accountSubject(RUNNERS) }),
    });
    await eventuallyHolds(async () => assert.equal(await may(runners, 'create pods', 'ci'), 'yes'));
  });
});
