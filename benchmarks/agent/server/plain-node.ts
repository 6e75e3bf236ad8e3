import { createServer } from 'node:https';
import { type AddressInfo, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Readable } from 'node:stream';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { certificateSigningRequests, connectClient, nodes, pods, readKubeconfig } from '@minifleet/kube';
import { requestWithKey } from '@minifleet/local-cluster/testing/certificate-request';
import { approveServing } from '@minifleet/tart-kubelet/testing/identity';
import type { NodeBench } from '../../../e2e/testing/node-bench.ts';
import { LOG_MEGABYTES } from '../names.ts';
import { SHOWN } from './log-throughput.ts';

const NAME = 'plain';

/** Starts a Node whose server sends constant bytes from memory: the upper limit of kubectl and the API server. */
export async function startPlainNode({ cluster, admin }: NodeBench, near: string): Promise<{ stop(): void }> {
  const address = localAddressNear(near);
  const client = connectClient(readKubeconfig((await cluster.nodeKubeconfig(NAME)).path), { clock: systemClock });
  const { request, privateKey } = requestWithKey(`system:node:${NAME}`, 'system:nodes', [address]);
  await client.create(certificateSigningRequests, {
    metadata: { name: NAME },
    spec: {
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      request: Buffer.from(request).toString('base64'),
    },
  });
  await approveServing(admin, NAME);
  const signed = await eventually(
    async () => (await admin.get(certificateSigningRequests, { name: NAME })).status?.certificate,
  );
  const megabyte = Buffer.from(SHOWN.repeat(Math.ceil(1e6 / SHOWN.length)));
  const server = createServer({ key: privateKey, cert: Buffer.from(signed, 'base64') }, (_, response) => {
    Readable.from(Array.from({ length: LOG_MEGABYTES }, () => megabyte)).pipe(response);
  });
  await new Promise<void>(resolve => server.listen(0, address, resolve));
  await client.create(nodes, {
    metadata: { name: NAME },
    status: {
      addresses: [{ type: 'InternalIP', address }],
      daemonEndpoints: { kubeletEndpoint: { Port: (server.address() as AddressInfo).port } },
    },
  });
  await createPlainPod(admin);
  await client.close();
  return { stop: () => void server.close() };
}

async function createPlainPod(admin: NodeBench['admin']): Promise<void> {
  const containers = [{ name: 'main', image: 'macos' }];
  await admin.create(pods, {
    metadata: { namespace: 'default', name: NAME },
    spec: { nodeName: NAME, containers, tolerations: [{ operator: 'Exists' }] },
  });
}

/** Address of this machine in the network of the Mac. */
function localAddressNear(near: string): string {
  const network = near.slice(0, near.lastIndexOf('.') + 1);
  const all = Object.values(networkInterfaces()).flatMap(interfaces => interfaces ?? []);
  const found = all.find(({ address }) => isIPv4(address) && address.startsWith(network));
  if (!found) throw new Error(`this machine has no address in the network of ${near}`);
  return found.address;
}
