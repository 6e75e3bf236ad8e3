import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterForTests, request, run } from '../testing/cluster-for-tests.ts';

const cluster = clusterForTests({ components: ['etcd', 'kube-apiserver', 'capi-core'] });
const fleets = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinedeployments';

const fleet = (name: string, clusterName: string) => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name },
  spec: {
    clusterName,
    template: {
      spec: {
        clusterName,
        version: '1.36.4',
        bootstrap: { dataSecretName: 'none' },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'MacTemplate', name: 'mac' },
      },
    },
  },
});

type Defaulted = {
  replicas: number;
  rollout: { strategy: { type: string } };
  selector: { matchLabels: Record<string, string> };
  template: { spec: { version: string } };
};

test('Cluster API: its webhooks set the defaults of a MachineDeployment', async () => {
  const { admin } = cluster().kubeconfigs;
  const { status, body } = await request(admin, fleets, { method: 'POST', body: fleet('macs', 'edge') });
  assert.equal(status, 201, JSON.stringify(body));
  const spec = body['spec'] as Defaulted;
  assert.equal(spec.replicas, 1);
  assert.equal(spec.rollout.strategy.type, 'RollingUpdate');
  assert.equal(spec.template.spec.version, 'v1.36.4');
  assert.equal(spec.selector.matchLabels['cluster.x-k8s.io/deployment-name'], 'macs');
});

test('Cluster API: its webhooks reject invalid objects', async () => {
  const wrong = fleet('wrong', 'edge');
  wrong.spec.template.spec.version = 'not a version';
  const { status, body } = await request(cluster().kubeconfigs.admin, fleets, { method: 'POST', body: wrong });
  assert.equal(status, 422);
  assert.match(
    String(body['message']),
    /^admission webhook "validation\.machinedeployment\.cluster\.x-k8s\.io" denied/,
  );
});

test('Cluster API: an object is read in the older version through the conversion webhook', async () => {
  const checks = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinehealthchecks';
  const body = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineHealthCheck',
    metadata: { name: 'macs' },
    spec: {
      clusterName: 'edge',
      selector: { matchLabels: { fleet: 'macs' } },
      checks: { nodeStartupTimeoutSeconds: 900 },
    },
  };
  const { admin } = cluster().kubeconfigs;
  const created = await request(admin, checks, { method: 'POST', body });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const older = await request(admin, `${checks.replace('v1beta2', 'v1beta1')}/macs`);
  assert.equal(older.status, 200, JSON.stringify(older.body));
  assert.equal((older.body['spec'] as { nodeStartupTimeout: string }).nodeStartupTimeout, '15m0s');
});

test('Cluster API: the manager runs under its own identity', async () => {
  const { capi } = cluster().kubeconfigs;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await request(capi, '/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body });
  const { userInfo } = answer.body['status'] as { userInfo: { username: string } };
  assert.equal(userInfo.username, 'minifleet-capi-core');
});

test('clusterctl, helm and helm3 report their versions and reach the cluster', async () => {
  const kubeconfig = `--kubeconfig=${cluster().kubeconfigs.admin.path}`;
  assert.match(await run('clusterctl', 'version', '-o', 'short'), /v1\.14\.2/);
  assert.match(await run('helm', 'version', '--short'), /^v4\.3\.1/);
  assert.match(await run('helm3', 'version', '--short'), /^v3\.22\.0/);
  assert.match(await run('etcd', '--version'), /etcd Version: 3\.6\.16/);
  assert.match(await run('clusterctl', 'describe', 'cluster', 'edge', kubeconfig).catch(String), /edge/);
  assert.equal((await run('helm', 'list', '-q', kubeconfig)).trim(), '');
});
