import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { IMAGE_PULL_FAILED } from '../images/errors.ts';
import { openPodsBench, type PodsBench } from './testing/pods-bench.ts';

const failing = () => ({ exits: { after: seconds(1), exitCode: 1 } });

async function crash(bench: PodsBench, attempt: number): Promise<void> {
  await bench.until(() => bench.guests.started.length === attempt + 1, { what: `attempt ${attempt}` });
  await bench.until(() => bench.guests.all().some(({ state }) => state.phase === 'running'));
  await bench.advance(seconds(1));
}

test('a failing container is restarted immediately, then after 10 s, then after 20 s', async () => {
  await using bench = await openPodsBench({ behave: failing });
  await bench.create('one');
  await crash(bench, 0);
  await crash(bench, 1);
  for (const wait of [10, 20]) {
    const begun = bench.guests.started.length;
    await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'CrashLoopBackOff');
    const container = await bench.container('one');
    assert.match(
      container?.state?.waiting?.message ?? '',
      new RegExp(`^back-off ${wait}s restarting failed container=vm`),
    );
    assert.equal(container?.lastState?.terminated?.exitCode, 1);
    assert.equal(container?.restartCount, begun - 1);
    assert.equal(await bench.phase('one'), 'Running');
    await bench.advance(seconds(wait - 2));
    assert.equal(bench.guests.started.length, begun);
    await bench.advance(seconds(2));
    await crash(bench, begun);
  }
  assert.deepEqual(
    bench.guests.started.map(({ id }) => id.attempt),
    [0, 1, 2, 3],
  );
  assert.ok(bench.reasons().includes('BackOff'));
});

test('the guest of an ended run is removed before the next run starts', async () => {
  await using bench = await openPodsBench({ behave: failing });
  await bench.create('one');
  await crash(bench, 0);
  await bench.until(() => bench.guests.started.length === 2);
  assert.equal(bench.guests.all().length, 1);
});

test('a run of ten minutes resets the CrashLoopBackOff', async () => {
  let run = 0;
  const behave = () => ({ exits: { after: ++run === 3 ? minutes(10) : seconds(1), exitCode: 1 } });
  await using bench = await openPodsBench({ behave });
  await bench.create('one');
  await crash(bench, 0);
  await crash(bench, 1);
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'CrashLoopBackOff');
  await bench.advance(seconds(10));
  await bench.until(() => bench.guests.all().some(({ state }) => state.phase === 'running'));
  await bench.advance(minutes(10));
  await bench.until(() => bench.guests.started.length === 4, { what: 'a restart at once' });
});

test('a Pod with restartPolicy OnFailure restarts after a failure and succeeds after exit code 0', async () => {
  let run = 0;
  await using bench = await openPodsBench({
    behave: () => ({ exits: { after: seconds(1), exitCode: ++run === 1 ? 1 : 0 } }),
  });
  await bench.create('one', { restartPolicy: 'OnFailure' });
  await crash(bench, 0);
  await crash(bench, 1);
  await bench.until(async () => (await bench.phase('one')) === 'Succeeded');
  const container = await bench.container('one');
  assert.equal(container?.restartCount, 1);
  assert.equal(container?.lastState?.terminated?.exitCode, 1);
  assert.equal(container?.state?.terminated?.reason, 'Completed');
});

test('an agent restarted during a Pod restart continues the restart count', async () => {
  await using bench = await openPodsBench({ behave: failing });
  const { metadata } = await bench.create('one');
  await crash(bench, 0);
  await crash(bench, 1);
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'CrashLoopBackOff');
  bench.guests.lose({ uid: metadata.uid ?? '', attempt: 1 });
  await bench.restart();
  await bench.until(() => bench.guests.started.length === 3);
  assert.equal(bench.guests.started[2]?.id.attempt, 2);
});

test('a Pod that exceeds its activeDeadlineSeconds fails after its guest has ended', async () => {
  await using bench = await openPodsBench({ behave: () => ({ shutsDownIn: seconds(3) }) });
  await bench.create('one', { activeDeadlineSeconds: 60 });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.advance(seconds(60));
  await bench.until(() => bench.reasons().includes('DeadlineExceeded'));
  assert.equal(await bench.phase('one'), 'Running');
  await bench.advance(seconds(3));
  await bench.until(async () => (await bench.phase('one')) === 'Failed');
  assert.equal((await bench.get('one'))?.status?.reason, 'DeadlineExceeded');
  await bench.until(() => bench.guests.all().length === 0);
});

test('I40: a failed guest start is CreateContainerError, is retried, and uses no slot meanwhile', async () => {
  let tries = 0;
  const behave = () => (++tries === 1 ? { failsToStart: new Error('the clone failed') } : {});
  await using bench = await openPodsBench({ behave });
  await bench.create('one');
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'CreateContainerError');
  assert.match((await bench.container('one'))?.state?.waiting?.message ?? '', /the clone failed/);
  assert.equal(bench.slots.used, 0);
  await bench.advance(seconds(10));
  await bench.until(async () => (await bench.phase('one')) === 'Running');
});

test('a restart whose guest fails to start waits with CreateContainerError and keeps lastState', async () => {
  const behave = ({ id }: { id: { attempt: number } }) =>
    id.attempt === 0 ? failing() : { failsToStart: new Error('the clone failed') };
  await using bench = await openPodsBench({ behave });
  await bench.create('one');
  await crash(bench, 0);
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'CreateContainerError');
  await bench.advance(seconds(9));
  const container = await bench.container('one');
  assert.equal(container?.state?.waiting?.reason, 'CreateContainerError');
  assert.equal(container?.lastState?.terminated?.exitCode, 1);
});

test('a failing pull is ErrImagePull, then ImagePullBackOff, and is retried until it succeeds', async () => {
  let tries = 0;
  const onPull = (): void => {
    if (++tries < 3) throw IMAGE_PULL_FAILED({ image: 'x', why: 'no route' });
  };
  await using bench = await openPodsBench({ images: { onPull } });
  await bench.create('one');
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'ErrImagePull');
  await bench.advance(seconds(12));
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'ImagePullBackOff');
  await bench.advance(seconds(24));
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  assert.ok(bench.reasons().includes('BackOff') && bench.reasons().includes('Failed'));
});
