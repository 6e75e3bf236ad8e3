import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { type Client, certificateSigningRequests } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import { approveServing } from './approve-serving.ts';

const SERVING = 'kubernetes.io/kubelet-serving';

const ask = (client: Client, name: string, username: string, signerName = SERVING): Promise<unknown> =>
  client.create(certificateSigningRequests, {
    metadata: { name },
    spec: { signerName, username, request: 'cmVxdWVzdA==', usages: ['server auth'] },
  });

test('only serving certificates are approved, and only those our own Macs ask for', async () => {
  const clock = fakeClock();
  const { client } = createMemoryApi({ clock });
  await ask(client, 'first', 'system:node:mini-01');
  const stop = new AbortController();
  const running = approveServing({ client, clock, nodes: ['mini-01'], signal: stop.signal });
  await ask(client, 'renewed', 'system:node:mini-01');
  await ask(client, 'strange', 'system:node:someone-else');
  await ask(client, 'client', 'system:node:mini-01', 'kubernetes.io/kube-apiserver-client-kubelet');
  await clock.settle();
  const { items } = await client.list(certificateSigningRequests);
  const approved = items.filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Approved'));
  assert.deepEqual(approved.map(({ metadata }) => metadata.name).sort(), ['first', 'renewed']);
  stop.abort();
  await running;
});
