import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpsClient } from '../https-client.ts';
import { clusterForTests, request } from '../testing/cluster-for-tests.ts';
import { waitUntil } from '../wait-until.ts';

const cluster = clusterForTests({ components: ['etcd', 'kube-apiserver'] });
const settings = '/api/v1/namespaces/default/configmaps';

test('components: a restarted API server has the same address and data', async () => {
  const { admin } = cluster().kubeconfigs;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } };
  assert.equal((await request(admin, settings, { method: 'POST', body })).status, 201);
  const server = cluster().component('kube-apiserver');
  const before = server.pid;
  await server.restart();
  assert.notEqual(server.pid, before);
  assert.equal((await request(admin, `${settings}/kept`)).status, 200);
});

test('components: a killed etcd restarts with its data', async () => {
  const etcd = cluster().component('etcd');
  await etcd.kill();
  assert.equal(etcd.pid, undefined);
  await etcd.start();
  const answered = await waitUntil(
    async () => (await request(cluster().kubeconfigs.admin, `${settings}/kept`)).status === 200,
    { deadline: 20_000 },
  );
  assert.ok(answered);
});

test('components: a paused API server keeps its connections and responds again when resumed', async t => {
  const server = cluster().component('kube-apiserver');
  const client = createHttpsClient(cluster().server, cluster().kubeconfigs.admin);
  t.after(() => client.close());
  await server.pause();
  await assert.rejects(client.request('/version', { timeout: 500 }), { name: 'AbortError' });
  server.resume();
  assert.equal((await client.request('/version')).status, 200);
});

test('components: a component that was not started is an error that lists the running ones', () => {
  assert.throws(() => cluster().component('capi-core'), {
    code: 'LOCAL_CLUSTER_COMPONENT_ABSENT',
    message: /capi-core does not run in this cluster \(running: etcd, kube-apiserver\)/,
  });
});
