import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpsClient } from '../https-client.ts';
import { ask, clusterForTests } from '../testing/cluster-for-tests.ts';
import { waitUntil } from '../wait-until.ts';

const cluster = clusterForTests({ components: ['etcd', 'kube-apiserver'] });
const settings = '/api/v1/namespaces/default/configmaps';

test('a restarted API server answers at the same address with the same data', async () => {
  const { admin } = cluster().kubeconfigs;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } };
  assert.equal((await ask(admin, settings, { method: 'POST', body })).status, 201);
  const server = cluster().component('kube-apiserver');
  const before = server.pid;
  await server.restart();
  assert.notEqual(server.pid, before);
  assert.equal((await ask(admin, `${settings}/kept`)).status, 200);
});

test('a killed etcd comes back with what was written', async () => {
  const etcd = cluster().component('etcd');
  await etcd.kill();
  assert.equal(etcd.pid, undefined);
  await etcd.start();
  const answered = await waitUntil(
    async () => (await ask(cluster().kubeconfigs.admin, `${settings}/kept`)).status === 200,
    { deadline: 20_000 },
  );
  assert.ok(answered);
});

test('a paused API server holds its connections and answers again when resumed', async t => {
  const server = cluster().component('kube-apiserver');
  const client = createHttpsClient(cluster().server, cluster().kubeconfigs.admin);
  t.after(() => client.close());
  await server.pause();
  await assert.rejects(client.ask('/version', { timeout: 500 }), { name: 'AbortError' });
  server.resume();
  assert.equal((await client.ask('/version')).status, 200);
});

test('a component the cluster was started without is an error that names those it has', () => {
  assert.throws(() => cluster().component('capi-core'), {
    code: 'LOCAL_CLUSTER_COMPONENT_ABSENT',
    message: /without capi-core \(it has etcd, kube-apiserver\)/,
  });
});
