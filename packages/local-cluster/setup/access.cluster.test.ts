import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createHttpsClient } from '../https-client.ts';
import { certificateRequest } from '../testing/certificate-request.ts';
import { clusterForTests, request } from '../testing/cluster-for-tests.ts';
import { waitUntil } from '../wait-until.ts';
import { BOOTSTRAP_GROUP } from './access-rules.ts';

const cluster = clusterForTests({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

test('access: a node may change its own Node and no other', async () => {
  const mac = await cluster().nodeKubeconfig('mac-1');
  assert.equal((await request(mac, '/api/v1/nodes', { method: 'POST', body: node('mac-1') })).status, 201);
  assert.equal((await request(mac, '/api/v1/nodes/mac-1')).status, 200);
  assert.equal((await request(mac, '/api/v1/nodes', { method: 'POST', body: node('mac-2') })).status, 403);
  const { admin } = cluster().kubeconfigs;
  assert.equal((await request(admin, '/api/v1/nodes', { method: 'POST', body: node('mac-2') })).status, 201);
  assert.equal((await request(mac, '/api/v1/nodes/mac-2')).status, 403);
});

test('access: a node reads only objects that its Pods refer to', async () => {
  const mac = await cluster().nodeKubeconfig('mac-1');
  assert.equal((await request(mac, '/api/v1/namespaces/kube-system/secrets')).status, 403);
  assert.equal((await request(mac, '/api/v1/pods')).status, 403);
  assert.equal((await request(mac, '/api/v1/pods?fieldSelector=spec.nodeName%3Dmac-1')).status, 200);
});

test('access: a Pod is accepted as soon as the cluster is up', async () => {
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'first' },
    spec: { containers: [{ name: 'one', image: 'one' }] },
  };
  const { status } = await request(cluster().kubeconfigs.admin, '/api/v1/namespaces/default/pods', {
    method: 'POST',
    body,
  });
  assert.equal(status, 201);
});

test('access: a user without groups may do nothing', async () => {
  const anonymous = await cluster().userKubeconfig('nobody');
  assert.equal((await request(anonymous, '/api/v1/namespaces')).status, 403);
});

async function createToken(id: string, secret: string): Promise<void> {
  const body = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': BOOTSTRAP_GROUP,
    },
  };
  const secrets = '/api/v1/namespaces/kube-system/secrets';
  assert.equal((await request(cluster().kubeconfigs.admin, secrets, { method: 'POST', body })).status, 201);
}

test('access: a bootstrap token gets a signed client certificate for a node', async () => {
  await createToken('abcdef', '0123456789abcdef');
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const body = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'node-csr-mac-3' },
    spec: {
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
      request: Buffer.from(certificateRequest('system:node:mac-3', 'system:nodes')).toString('base64'),
    },
  };
  const host = createHttpsClient(cluster().server, { certificateAuthority: cluster().certificateAuthority });
  const headers = { authorization: 'Bearer abcdef.0123456789abcdef' };
  // The API server reads tokens from a cache, which has a new token a moment later.
  const created = await waitUntil(
    async () => {
      const { status, text } = await host.request(requests, { method: 'POST', body, headers });
      return status === 401 ? undefined : { status, text };
    },
    { deadline: 20_000 },
  );
  host.close();
  assert.equal(created?.status, 201, created?.text ?? 'the API server rejects the token');
  const signed = await waitUntil(
    async () => {
      const answer = await request(cluster().kubeconfigs.admin, `${requests}/node-csr-mac-3`);
      return (answer.body['status'] as { certificate?: string } | undefined)?.certificate;
    },
    { deadline: 20_000 },
  );
  assert.ok(signed, 'the certificate was not signed');
  const certificate = new X509Certificate(Buffer.from(signed, 'base64'));
  assert.equal(certificate.subject, 'O=system:nodes\nCN=system:node:mac-3');
  assert.ok(certificate.verify(new X509Certificate(cluster().certificateAuthority).publicKey));
});
