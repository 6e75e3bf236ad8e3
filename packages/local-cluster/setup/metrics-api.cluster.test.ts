import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kubeconfig } from '../kubeconfig.ts';
import { METRICS_SERVER_USER } from '../pki/cluster-pki.ts';
import { clusterForTests, request } from '../testing/cluster-for-tests.ts';

const cluster = clusterForTests({ components: ['etcd', 'kube-apiserver', 'metrics-server'] });

const NODES = '/apis/metrics.k8s.io/v1beta1/nodes';

async function registered(): Promise<{ service: { port: number }; insecureSkipTLSVerify?: boolean }> {
  const { admin } = cluster().kubeconfigs;
  const { body } = await request(admin, '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io');
  return body['spec'] as Awaited<ReturnType<typeof registered>>;
}

test('metrics-server: reachable through the API server once the cluster is up, with a verified certificate', async () => {
  const { status, body } = await request(cluster().kubeconfigs.admin, NODES);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body['kind'], body['items']], ['NodeMetricsList', []]);
  assert.equal((await registered()).insecureSkipTLSVerify, undefined);
});

test('metrics-server: the API server decides which callers may read it', async () => {
  const { port } = (await registered()).service;
  const directly = (kubeconfig: Kubeconfig) => ({ ...kubeconfig, server: `https://127.0.0.1:${port}` });
  assert.equal((await request(directly(cluster().kubeconfigs.admin), NODES)).status, 200);
  assert.equal((await request(directly(await cluster().userKubeconfig('nobody')), NODES)).status, 403);
});

test('metrics-server: it may read only Nodes, Pods and kubelet metrics', async () => {
  const itself = await cluster().userKubeconfig(METRICS_SERVER_USER);
  const may = async (verb: string, resource: string, subresource?: string): Promise<boolean> => {
    const spec = { resourceAttributes: { verb, resource, ...(subresource === undefined ? {} : { subresource }) } };
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
    const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const answer = await request(itself, reviews, { method: 'POST', body });
    return (answer.body['status'] as { allowed: boolean }).allowed;
  };
  assert.ok(await may('watch', 'nodes'));
  assert.ok(await may('watch', 'pods'));
  assert.ok(await may('get', 'nodes', 'metrics'));
  assert.ok(!(await may('get', 'nodes', 'proxy')));
  assert.ok(!(await may('list', 'secrets')));
  assert.ok(!(await may('delete', 'pods')));
});
