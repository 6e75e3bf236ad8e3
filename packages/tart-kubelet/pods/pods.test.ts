import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type Client, pods } from '@minifleet/kube';
import { newPod, openPodsBench } from './testing/pods-bench.ts';

test('a bound Pod gets a running guest, becomes Ready, and has the events of a kubelet', async () => {
  await using bench = await openPodsBench({ behave: () => ({ bootsIn: seconds(2), address: '192.168.64.7' }) });
  const { metadata } = await bench.create('one');
  await bench.until(() => bench.guests.all().length === 1);
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'ContainerCreating');
  await bench.advance(seconds(2));
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  const status = (await bench.get('one'))?.status;
  assert.equal(status?.podIP, '192.168.64.7');
  assert.equal(status?.hostIP, '10.0.0.1');
  const [container] = status?.containerStatuses ?? [];
  assert.equal(container?.containerID, `tart://pod-${metadata.uid}-0`);
  assert.ok(container?.ready && container.started && container.state?.running);
  const ready = status?.conditions?.filter(({ status: value }) => value === 'True').map(({ type }) => type);
  assert.deepEqual(ready?.sort(), [
    'ContainersReady',
    'Initialized',
    'PodReadyToStartContainers',
    'PodScheduled',
    'Ready',
  ]);
  assert.deepEqual(bench.reasons(), ['Pulled', 'Created', 'Started']);
});

test('the status of an unchanged Pod is not written again, and a change by hand is corrected', async () => {
  await using bench = await openPodsBench();
  await bench.create('one');
  await bench.until(async () => (await bench.container('one'))?.ready);
  const writes = bench.statusWrites();
  assert.ok(writes <= 3, `${writes} status writes to Running`);
  await bench.advance(minutes(10));
  assert.equal(bench.statusWrites(), writes);
  const body = { status: { phase: 'Pending', conditions: [{ type: 'example.com/Mine', status: 'True' }] } };
  await bench.api.client.patch(
    pods,
    { namespace: 'default', name: 'one' },
    { type: 'strategic', body },
    { subresource: 'status' },
  );
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  const conditions = (await bench.get('one'))?.status?.conditions ?? [];
  assert.ok(
    conditions.some(({ type }) => type === 'example.com/Mine'),
    'a foreign condition stays',
  );
});

test('I09: 504 finished Pods with a deletionTimestamp are each deleted in one sync', async () => {
  const names = Array.from({ length: 504 }, (_, index) => `runner-${index}`);
  await using bench = await openPodsBench({
    async before(client) {
      for (const name of names) {
        const key = { namespace: 'default', name };
        await client.create(pods, newPod(name, { restartPolicy: 'Never' }));
        await client.delete(pods, key);
        const body = { status: { phase: 'Succeeded' } };
        await client.patch(pods, key, { type: 'merge', body }, { subresource: 'status' });
      }
    },
  });
  const byOwner = 504;
  await bench.until(async () => (await list(bench)).length === 0);
  const deletions = bench.api.requests.filter(({ method }) => method === 'DELETE').length;
  assert.equal(deletions - byOwner, 504, 'one each, and none was tried again');
  assert.equal(bench.guests.started.length, 0);
});

test('a finished Pod with restartPolicy Never reports its exit code and never runs again', async () => {
  await using bench = await openPodsBench({ behave: () => ({ exits: { after: seconds(1), exitCode: 7 } }) });
  await bench.create('job', { restartPolicy: 'Never' });
  await bench.until(() => bench.guests.started.length === 1);
  await bench.advance(seconds(1));
  await bench.until(() => bench.guests.all().length === 0);
  const container = await bench.container('job');
  assert.equal(container?.state?.terminated?.exitCode, 7);
  assert.equal(await bench.phase('job'), 'Failed');
  await bench.restart();
  await bench.advance(minutes(10));
  assert.equal(bench.guests.started.length, 1);
  const conditions = (await bench.get('job'))?.status?.conditions;
  assert.equal(conditions?.find(({ type }) => type === 'Ready')?.reason, 'PodFailed');
});

test('I38: the exit of a guest is reported before its VM is deleted, also after an API server outage', async () => {
  await using bench = await openPodsBench({
    behave: () => ({ exits: { after: seconds(1), exitCode: 1, reason: 'VMCrashed' } }),
  });
  await bench.create('job', { restartPolicy: 'Never' });
  await bench.until(async () => (await bench.phase('job')) === 'Running');
  bench.api.faults.failNext({ match: { method: 'PATCH' }, status: 500, times: 4 });
  await bench.advance(seconds(1));
  assert.equal(bench.guests.all().length, 1, 'the record is kept until its exit is on the server');
  await bench.advance(minutes(2));
  await bench.until(async () => (await bench.phase('job')) === 'Failed');
  assert.equal((await bench.container('job'))?.state?.terminated?.reason, 'VMCrashed');
  await bench.until(() => bench.guests.all().length === 0);
});

test('I38: a run whose record is lost is reported as failed and not repeated', async () => {
  await using bench = await openPodsBench();
  const { metadata } = await bench.create('job', { restartPolicy: 'Never' });
  await bench.until(async () => (await bench.phase('job')) === 'Running');
  bench.guests.lose({ uid: metadata.uid ?? '', attempt: 0 });
  await bench.restart();
  await bench.until(async () => (await bench.phase('job')) === 'Failed');
  const ended = (await bench.container('job'))?.state?.terminated;
  assert.deepEqual([ended?.exitCode, ended?.reason], [137, 'ContainerStatusUnknown']);
  assert.equal(bench.guests.started.length, 1);
});

test('a deleted Pod stays Running until its guest is shut down, and is then removed', async () => {
  await using bench = await openPodsBench({ behave: () => ({ shutsDownIn: seconds(5) }) });
  await bench.create('one');
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.delete('one');
  await bench.until(() => bench.reasons().includes('Killing'));
  assert.equal(await bench.phase('one'), 'Running', 'no terminal phase while the guest still runs');
  await bench.advance(seconds(5));
  await bench.until(async () => (await bench.get('one')) === undefined);
  assert.equal(bench.guests.all().length, 0);
  assert.ok(!existsSync(`${bench.directory}/state/pods`) || bench.slots.used === 0);
});

test('a shorter grace period of a second deletion applies to a guest that ignores its shutdown', async () => {
  await using bench = await openPodsBench({ behave: () => ({ ignoresShutdown: true }) });
  await bench.create('one', { terminationGracePeriodSeconds: 60 });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.delete('one');
  await bench.until(() => bench.reasons().includes('Killing'));
  await bench.advance(seconds(10));
  assert.equal(bench.guests.all()[0]?.state.phase, 'running');
  await bench.delete('one', 5);
  await bench.until(async () => (await bench.get('one'))?.metadata.deletionGracePeriodSeconds === 5);
  await bench.advance(seconds(5));
  await bench.until(async () => (await bench.get('one')) === undefined);
});

test('the guest of a force-deleted Pod is stopped', async () => {
  await using bench = await openPodsBench({ behave: () => ({ ignoresShutdown: true }) });
  await bench.create('one');
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.delete('one', 0);
  await bench.until(() => bench.reasons().includes('Killing'));
  await bench.advance(seconds(1));
  await bench.until(() => bench.guests.all().length === 0);
  assert.equal(bench.slots.used, 0);
});

test('a Pod recreated under the same name gets a new guest, and the old guest ends', async () => {
  await using bench = await openPodsBench({ behave: () => ({ shutsDownIn: seconds(3) }) });
  const first = await bench.create('db-0');
  await bench.until(async () => (await bench.phase('db-0')) === 'Running');
  await bench.delete('db-0', 0);
  const second = await bench.create('db-0');
  await bench.until(async () => (await bench.phase('db-0')) === 'Running');
  const uids = bench.guests.started.map(({ id }) => id.uid);
  assert.deepEqual(uids, [first.metadata.uid, second.metadata.uid]);
  await bench.advance(seconds(3));
  await bench.until(() => bench.guests.all().length === 1);
  assert.equal(bench.guests.all()[0]?.spec.id.uid, second.metadata.uid);
  assert.equal(await bench.phase('db-0'), 'Running');
});

test('a Pod deleted during its image pull is removed immediately', async () => {
  await using bench = await openPodsBench({ images: { pullsIn: () => minutes(20) } });
  await bench.create('one');
  await bench.create('other', { container: { image: 'registry.example/other:1' } });
  await bench.until(async () => (await bench.container('one'))?.state?.waiting);
  await bench.delete('one');
  await bench.until(async () => (await bench.get('one')) === undefined);
  assert.equal(bench.guests.started.length, 0);
  assert.equal(await bench.phase('other'), 'Pending');
});

test('a deleted Pod with a foreign finalizer is finished and reports the finalizer', async () => {
  await using bench = await openPodsBench();
  const finalizers = ['tart-kubelet.tuist.dev/vm-cleanup'];
  await bench.create('old', {}, { finalizers });
  await bench.until(async () => (await bench.phase('old')) === 'Running');
  await bench.delete('old');
  await bench.until(async () => (await finishedCondition())?.status === 'True');
  assert.equal(await bench.phase('old'), 'Succeeded');
  assert.match((await finishedCondition())?.message ?? '', /tart-kubelet\.tuist\.dev\/vm-cleanup/);
  const requests = bench.api.requests.length;
  await bench.advance(minutes(5));
  assert.equal(
    bench.api.requests.filter(({ query }) => !query?.['watch']).length,
    bench.api.requests.slice(0, requests).filter(({ query }) => !query?.['watch']).length,
    'nothing is sent while it waits',
  );
  const body = { metadata: { finalizers: null } };
  await bench.api.client.patch(pods, { namespace: 'default', name: 'old' }, { type: 'merge', body });
  await bench.until(async () => (await bench.get('old')) === undefined);

  async function finishedCondition() {
    return (await bench.get('old'))?.status?.conditions?.find(({ type }) => type === 'minifleet.dev/Finished');
  }
});

test('a restarted agent keeps a running guest and writes nothing', async () => {
  await using bench = await openPodsBench();
  await bench.create('one');
  await bench.until(async () => (await bench.container('one'))?.ready);
  const [writes, events] = [bench.statusWrites(), bench.events.length];
  await bench.restart();
  await bench.advance(minutes(5));
  assert.equal(bench.guests.started.length, 1);
  assert.equal(bench.guests.all()[0]?.state.phase, 'running');
  assert.deepEqual([bench.statusWrites(), bench.events.length], [writes, events]);
  assert.equal(bench.slots.used, 1);
});

test('a guest whose Pod was deleted while the agent was down is stopped and removed', async () => {
  await using bench = await openPodsBench();
  await bench.create('one');
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  const spec = bench.guests.started[0];
  assert.ok(spec);
  await bench.guests.start({ ...spec, id: { uid: '00000000-0000-4000-8000-000000000000', attempt: 0 } });
  await bench.restart();
  await bench.until(() => bench.guests.all().length === 1);
  assert.equal(bench.guests.all()[0]?.spec.id.uid, spec.id.uid);
});

const list = async (bench: { readonly api: { readonly client: Client } }) =>
  (await bench.api.client.list(pods, { namespace: 'default' })).items;
