/** Access to the server of a Node, decided by a real API server. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, readKubeconfig } from '@minifleet/kube';
import { createHostNetwork, type HostNetwork, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { createCertificateAuthority } from '@minifleet/local-cluster/testing/pki';
import { type Kubectl, kubectlOf } from '../testing/kubectl.ts';
import { localGuest } from '../testing/local-guest.ts';
import { type ServedNode, startServedNode } from '../testing/served-node.ts';

describe('the rights of callers', { skip: noHostNetwork }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'minifleet-access-'));
  let cluster: LocalCluster;
  let network: HostNetwork;
  let admin: Client;
  let kubectl: Kubectl;
  let node: ServedNode;

  before(async () => {
    network = await createHostNetwork({ name: 'access', localAddresses: 1 });
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    kubectl = await kubectlOf(cluster.kubeconfigs.admin.path, folder);
    await eventually(async () => (await kubectl.run(['get', 'serviceaccount', 'default'])).code === 0);
    const [address = ''] = network.localAddresses;
    const guests = [localGuest({ name: 'pod', folder })];
    node = await startServedNode({ cluster, admin, name: 'mac-1', address, declaredFeatures: [], guests });
  });
  after(async () => {
    await node.stop();
    await admin.close();
    await cluster.stop();
    await network.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The serving certificate is checked, as the API server checks it. */
  async function ask(where: string, options: RequestOptions): Promise<[number, string]> {
    const asked = request(`${node.url}${where}`, { ca: cluster.certificateAuthority, agent: false, ...options }).end();
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve);
      asked.once('error', reject);
    });
    return [response.statusCode ?? 0, await text(response)];
  }

  async function tokenOf(account: string, role?: readonly string[]): Promise<RequestOptions> {
    assert.equal((await kubectl.run(['create', 'serviceaccount', account])).code, 0);
    if (role) {
      await kubectl.run(['create', 'clusterrole', account, ...role]);
      await kubectl.run([
        'create',
        'clusterrolebinding',
        account,
        `--clusterrole=${account}`,
        `--serviceaccount=default:${account}`,
      ]);
    }
    const { stdout } = await kubectl.run(['create', 'token', account]);
    return { headers: { authorization: `Bearer ${stdout.trim()}` } };
  }

  test('requests without credentials, with a foreign certificate or an invalid token get 401', async () => {
    const { certificate: cert, privateKey: key } = createCertificateAuthority('cluster').issue({
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters'],
      usages: ['client'],
    });
    for (const options of [{}, { cert, key }, { headers: { authorization: 'Bearer invented' } }]) {
      assert.deepEqual(await ask('/pods', options), [401, 'Unauthorized']);
    }
  });

  test('an authenticated user without permission gets 403 with the message of a kubelet', async () => {
    const user = await cluster.userKubeconfig('alice', ['people']);
    const alice = { cert: user.clientCertificate, key: user.clientKey };
    const expected = 'Forbidden (user=alice, verb=get, resource=nodes, subresource(s)=[pods proxy])\n';
    assert.deepEqual(await ask('/pods', alice), [403, expected]);
  });

  test('nodes/metrics permits /metrics/resource and nothing else', async () => {
    const scraper = await tokenOf('scraper', ['--verb=get', '--resource=nodes/metrics']);
    const [status, body] = await ask('/metrics/resource', scraper);
    assert.deepEqual([status, /node_cpu_usage_seconds_total/.test(body)], [200, true]);
    assert.equal((await ask('/containerLogs/default/pod/main', scraper))[0], 403);
    assert.equal((await ask('/stats/summary', scraper))[0], 403);
  });

  test('nodes/pods permits /pods, and nodes/proxy permits every path', async () => {
    const lister = await tokenOf('lister', ['--verb=get', '--resource=nodes/pods']);
    const proxier = await tokenOf('proxier', ['--verb=get', '--resource=nodes/proxy']);
    for (const caller of [lister, proxier]) assert.equal((await ask('/pods', caller))[0], 200);
    assert.equal((await ask('/containerLogs/default/pod/main', lister))[0], 403);
    assert.equal((await ask('/containerLogs/default/pod/main', proxier))[0], 200);
  });

  test('a Node may not send requests to the kubelet server of another Node', async () => {
    const other = await cluster.nodeKubeconfig('mac-2');
    const [status, body] = await ask('/pods', { cert: other.clientCertificate, key: other.clientKey });
    assert.equal(status, 403, body);
  });
});
