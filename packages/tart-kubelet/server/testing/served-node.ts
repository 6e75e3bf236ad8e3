/** A Node of a local cluster whose kubelet is our server and whose Pods are local guests. */
import assert from 'node:assert/strict';
import { minutes, seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type Client,
  certificateSigningRequests,
  connectClient,
  nodes,
  type Pod,
  pods,
  readKubeconfig,
  silentLog,
} from '@minifleet/kube';
import type { LocalCluster } from '@minifleet/local-cluster';
import { requestWithKey } from '@minifleet/local-cluster/testing/certificate-request';
import { reviewsOf } from '../access/reviews.ts';
import { type KubeletServer, type ServingCertificate, startKubeletServer } from '../kubelet-server.ts';
import type { ResourceSamples } from '../stats/samples.ts';
import { guestsOf, type LocalGuest } from './local-guest.ts';

interface ServedNodeOptions {
  readonly cluster: LocalCluster;
  readonly admin: Client;
  readonly name: string;
  readonly address: string;
  readonly declaredFeatures: readonly string[];
  readonly guests: readonly LocalGuest[];
}

export interface ServedNode {
  readonly server: KubeletServer;
  readonly url: string;
  stop(): Promise<void>;
}

export async function startServedNode(options: ServedNodeOptions): Promise<ServedNode> {
  const { cluster, admin, name, address, guests } = options;
  const client = connectClient(readKubeconfig((await cluster.nodeKubeconfig(name)).path), { clock: systemClock });
  const listed: Pod[] = [];
  const server = await startKubeletServer({
    node: name,
    clock: systemClock,
    log: silentLog,
    reviews: reviewsOf(client),
    guests: guestsOf(guests),
    pods: () => listed,
    samples: async () => samplesOf(guests),
    metrics: async () => 'tart_kubelet_guests 1\n',
    unhealthy: () => undefined,
    limits: { idle: minutes(5), opening: seconds(10), closing: seconds(5) },
    host: address,
    port: 0,
    serving: await servingCertificate(client, admin, { name, address }),
    clientAuthority: cluster.certificateAuthority,
  });
  await client.create(nodes, {
    metadata: { name },
    status: {
      addresses: [{ type: 'InternalIP', address }],
      daemonEndpoints: { kubeletEndpoint: { Port: server.port } },
      ...({ declaredFeatures: options.declaredFeatures } as object),
    },
  });
  for (const guest of guests) listed.push(await createPod(admin, guest, name));
  const stop = async (): Promise<void> => {
    await server.close();
    await client.close();
  };
  return { server, url: `https://${address}:${server.port}`, stop };
}

/** Asked for as the Node, approved by the test, signed by the controller manager. */
async function servingCertificate(
  node: Client,
  admin: Client,
  { name, address }: { name: string; address: string },
): Promise<ServingCertificate> {
  const { request, privateKey } = requestWithKey(`system:node:${name}`, 'system:nodes', [address]);
  const created = await node.create(certificateSigningRequests, {
    metadata: { name },
    spec: {
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      request: Buffer.from(request).toString('base64'),
    },
  });
  const conditions = [{ type: 'Approved', status: 'True' as const, reason: 'Test', message: 'by the test' }];
  await admin.update(certificateSigningRequests, { ...created, status: { conditions } }, { subresource: 'approval' });
  const signed = await eventually(
    async () => (await admin.get(certificateSigningRequests, { name })).status?.certificate,
  );
  return { certificate: Buffer.from(signed, 'base64').toString(), privateKey };
}

async function createPod(admin: Client, guest: LocalGuest, node: string): Promise<Pod> {
  const { namespace, name } = guest;
  await admin.create(pods, {
    metadata: { namespace, name },
    spec: { nodeName: node, containers: [{ name: 'main', image: 'macos' }], tolerations: [{ operator: 'Exists' }] },
  });
  const startedAt = '2030-01-01T00:00:00Z';
  const containerStatuses = [
    { name: 'main', image: 'macos', imageID: 'macos', ready: true, restartCount: 0, state: { running: { startedAt } } },
  ];
  const body = { status: { phase: 'Running', containerStatuses } };
  const pod = await admin.patch(pods, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
  assert.equal(pod.status?.phase, 'Running');
  return pod;
}

const samplesOf = (guests: readonly LocalGuest[]): ResourceSamples => ({
  node: { at: 1_000, startedAt: 0, cpuSeconds: 12.5, workingSetBytes: 8e9 },
  guests: guests.map(({ namespace, name, uid }) => ({
    namespace,
    pod: name,
    uid,
    container: 'main',
    at: 1_000,
    startedAt: 0,
    cpuSeconds: 2,
    workingSetBytes: 4e9,
  })),
});
