import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { findBinaries } from './binaries/find-binaries.ts';
import { COMPONENTS } from './components/component.ts';
import { LocalClusterError } from './errors.ts';
import { silentReporter } from './progress/reporter.ts';
import { startLocalCluster } from './start-local-cluster.ts';
import { request, run } from './testing/cluster-for-tests.ts';

test('all components are ready in less than 20 seconds when the binaries are cached', async t => {
  await findBinaries({ programs: [...COMPONENTS, 'capi-manifests'] });
  const began = performance.now();
  const cluster = await startLocalCluster();
  t.after(() => cluster.stop());
  const seconds = (performance.now() - began) / 1000;
  t.diagnostic(`all components ready after ${seconds.toFixed(1)} s`);
  assert.ok(seconds < 20, `${seconds} s`);
  assert.deepEqual(
    cluster.components.map(({ name }) => name),
    COMPONENTS,
  );
  for (const component of cluster.components) assert.ok(component.pid, component.name);
});

test('kubectl works with the admin kubeconfig and reports the server version', async t => {
  const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
  t.after(() => cluster.stop());
  const kubeconfig = `--kubeconfig=${cluster.kubeconfigs.admin.path}`;
  const { clientVersion, serverVersion } = JSON.parse(await run('kubectl', kubeconfig, 'version', '-o', 'json'));
  assert.equal(clientVersion.gitVersion, 'v1.36.4');
  assert.equal(serverVersion.gitVersion, 'v1.36.4');
  await run('kubectl', kubeconfig, 'create', 'configmap', 'greeting', '--from-literal=hello=world');
  assert.equal(
    await run('kubectl', kubeconfig, 'get', 'configmap', 'greeting', '-o', 'jsonpath={.data.hello}'),
    'world',
  );
});

test('two clusters run at once without affecting each other', async t => {
  const minimal = { components: ['etcd', 'kube-apiserver'] } as const;
  const clusters = await Promise.all([startLocalCluster(minimal), startLocalCluster(minimal)]);
  t.after(() => Promise.all(clusters.map(cluster => cluster.stop())));
  const [one, two] = clusters;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'only-here' } };
  await request(one.kubeconfigs.admin, '/api/v1/namespaces', { method: 'POST', body: namespace });
  assert.equal((await request(one.kubeconfigs.admin, '/api/v1/namespaces/only-here')).status, 200);
  assert.equal((await request(two.kubeconfigs.admin, '/api/v1/namespaces/only-here')).status, 404);
});

test('stop ends every process, removes every file, and may be called twice', async () => {
  const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
  await Promise.all([cluster.stop(), cluster.stop()]);
  await cluster.stop();
  assert.ok(!existsSync(cluster.directory));
  assert.deepEqual(
    cluster.components.map(({ pid }) => pid),
    [undefined, undefined],
  );
});

test('a failed component is an error with its name, its last log lines and the path of its log', async () => {
  const start = startLocalCluster({
    components: ['etcd', 'kube-apiserver'],
    extraFlags: { 'kube-apiserver': { 'authorization-mode': 'Nonsense' } },
  });
  const error = await start.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof LocalClusterError);
  assert.equal(error.code, 'LOCAL_CLUSTER_COMPONENT_FAILED');
  assert.match(error.message, /^kube-apiserver ended with exit code 1\.[\s\S]*Nonsense/);
  assert.match(readFileSync(/Full log: (.*)$/.exec(error.message)?.[1] ?? '', 'utf8'), /Nonsense/);
});

test('a port taken by another process causes a retry on other ports, a limited number of times', async t => {
  const thief = createServer().listen(0, '127.0.0.1');
  t.after(() => thief.close());
  await once(thief, 'listening');
  const { port } = thief.address() as AddressInfo;
  const notes: string[] = [];
  const start = startLocalCluster({
    components: ['etcd', 'kube-apiserver'],
    extraFlags: { etcd: { 'listen-client-urls': `https://127.0.0.1:${port}` } },
    reporter: { ...silentReporter, note: text => void notes.push(text) },
  });
  await assert.rejects(start, { message: /^etcd ended[\s\S]*address already in use/ });
  assert.equal(notes.length, 2);
});
