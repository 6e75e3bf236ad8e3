import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type Client, type Pod, pods } from '@minifleet/kube';
import { newPod, openPodsBench, type SpecChange, theNode } from './testing/pods-bench.ts';

const VM = 'default-web';
const startedAt = '2026-05-19T10:00:00Z';

/** Status of a running Pod, as the agent of the previous system writes it. */
const olderStatus: NonNullable<Pod['status']> = {
  phase: 'Running',
  hostIP: theNode.addresses[0] ?? '',
  podIP: '192.168.64.9',
  startTime: startedAt,
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [
    {
      ...{ name: 'main', image: 'ghcr.io/acme/runner:1', imageID: '', restartCount: 0 },
      ...{ ready: true, started: true, containerID: `tart://${VM}`, state: { running: { startedAt } } },
    },
  ],
};

const older =
  (change: SpecChange = {}) =>
  async (client: Client): Promise<void> => {
    const { metadata } = await client.create(pods, newPod('web', change));
    const patch = { type: 'merge', body: { status: olderStatus } } as const;
    await client.patch(pods, { namespace: 'default', name: metadata.name }, patch, { subresource: 'status' });
  };
const idOf = ({ metadata }: Pod) => ({ uid: metadata.uid ?? '', attempt: 0 });
const never: SpecChange = { restartPolicy: 'Never' };

test('A18 a Pod that the previous agent started keeps running, and no VM is started for it', async () => {
  // Probes, which the previous agent did not run.
  const livenessProbe = { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1 };
  await using bench = await openPodsBench({ before: older({ ...never, container: { livenessProbe } }) });
  await bench.until(() => bench.slots.used === 1);
  await bench.advance(minutes(1));
  const pod = await bench.get('web');
  assert.equal(pod?.status?.phase, 'Running');
  const [container] = pod?.status?.containerStatuses ?? [];
  assert.deepEqual(
    [container?.containerID, container?.state?.running, container?.ready, container?.restartCount],
    [`tart://${VM}`, { startedAt }, true, 0],
  );
  assert.equal(pod?.status?.podIP, olderStatus.podIP);
  assert.deepEqual(bench.guests.started, []);
  await bench.restart();
  await bench.until(() => bench.slots.used === 1);
  assert.deepEqual(bench.guests.started, []);
  assert.equal(await bench.phase('web'), 'Running');
});

test('a Pod that the previous agent started is stopped and released when it is deleted', async () => {
  await using bench = await openPodsBench({ before: older(never) });
  await bench.until(() => bench.slots.used === 1);
  await bench.delete('web', 1);
  await bench.until(async () => {
    await bench.advance(seconds(2));
    return (await bench.get('web')) === undefined;
  });
  assert.deepEqual(bench.guests.all(), []);
  assert.equal(bench.slots.used, 0);
});

test('a Pod of the previous agent whose VM ended and that restarts gets a VM of this agent', async () => {
  await using bench = await openPodsBench({ before: older() });
  const pod = (await bench.get('web')) ?? assert.fail();
  await bench.until(() => bench.slots.used === 1);
  bench.guests.end(idOf(pod), { exitCode: 137, reason: 'ContainerStatusUnknown' });
  await bench.until(() => bench.guests.started.length === 1);
  assert.deepEqual(bench.guests.started[0]?.id, { uid: pod.metadata.uid, attempt: 1 });
  await bench.until(async () => (await bench.container('web'))?.restartCount === 1);
});

test('a Pod of the previous agent whose VM ended and that does not restart has failed with an unknown exit', async () => {
  await using bench = await openPodsBench({ before: older(never) });
  const pod = (await bench.get('web')) ?? assert.fail();
  await bench.until(() => bench.slots.used === 1);
  bench.guests.end(idOf(pod), { exitCode: 137, reason: 'ContainerStatusUnknown' });
  await bench.until(async () => (await bench.phase('web')) === 'Failed');
  assert.equal((await bench.container('web'))?.state?.terminated?.containerID, `tart://${VM}`);
  assert.deepEqual(bench.guests.started, []);
});
