import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { LocalCluster } from '../local-cluster.ts';
import { requestWithKey } from '../testing/certificate-request.ts';
import { clusterForTests, request } from '../testing/cluster-for-tests.ts';
import { noHostNetwork } from '../testing/host-network-support.ts';
import { waitUntil } from '../wait-until.ts';
import { createHostNetwork } from './host-network.ts';

const cluster = clusterForTests({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** Requests as the node, approves as the administrator, and waits for the controller manager to sign. */
async function servingCertificate(local: LocalCluster, name: string, address: string) {
  const { request: csr, privateKey } = requestWithKey(`system:node:${name}`, 'system:nodes', [address]);
  const body = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      request: Buffer.from(csr).toString('base64'),
    },
  };
  const created = await request(await local.nodeKubeconfig(name), REQUESTS, { method: 'POST', body });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'by the test' }];
  const approval = { method: 'PUT', body: { ...created.body, status: { conditions } } } as const;
  assert.equal((await request(local.kubeconfigs.admin, `${REQUESTS}/${name}/approval`, approval)).status, 200);
  const certificate = await waitUntil(
    async () => {
      const { body: current } = await request(local.kubeconfigs.admin, `${REQUESTS}/${name}`);
      return (current['status'] as { certificate?: string }).certificate;
    },
    { deadline: 20_000 },
  );
  return { cert: Buffer.from(certificate ?? '', 'base64'), key: privateKey };
}

/** A kubelet that only returns the name of its caller. */
async function startKubelet(t: TestContext, local: LocalCluster, [name, address]: [string, string]): Promise<Server> {
  const identity = await servingCertificate(local, name, address);
  const server = createServer(
    { ...identity, ca: local.certificateAuthority, requestCert: true, rejectUnauthorized: true },
    (request, answer) => {
      const caller = (request.socket as TLSSocket).getPeerCertificate().subject.CN;
      answer.setHeader('content-type', 'application/json').end(JSON.stringify({ caller }));
    },
  );
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  await once(server.listen(0, address), 'listening');
  return server;
}

test('the API server proxies to a kubelet outside loopback with its kubelet client certificate', {
  skip: noHostNetwork,
}, async t => {
  const network = await createHostNetwork({ name: 'proxy', localAddresses: 1 });
  t.after(() => network.stop());
  const [address = ''] = network.localAddresses;
  const server = await startKubelet(t, cluster(), ['mac-1', address]);
  const { port } = server.address() as AddressInfo;
  const status = {
    addresses: [{ type: 'InternalIP', address }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mac-1' }, status };
  const node = await cluster().nodeKubeconfig('mac-1');
  assert.equal((await request(node, '/api/v1/nodes', { method: 'POST', body })).status, 201);
  const answer = await request(cluster().kubeconfigs.admin, '/api/v1/nodes/mac-1/proxy/runningpods/');
  assert.deepEqual(answer, { status: 200, body: { caller: 'kube-apiserver-kubelet-client' } });
});
