import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { createSlotQueue } from './slot-queue.ts';
import { openPodsBench } from './testing/pods-bench.ts';

test('a third Pod waits with WaitingForVMSlot and starts when a VM slot is free', async () => {
  await using bench = await openPodsBench();
  for (const name of ['one', 'two']) {
    await bench.create(name);
    await bench.until(async () => (await bench.phase(name)) === 'Running');
  }
  await bench.create('three');
  await bench.until(async () => (await bench.container('three'))?.state?.waiting?.reason === 'WaitingForVMSlot');
  assert.equal(await bench.phase('three'), 'Pending');
  assert.match((await bench.container('three'))?.state?.waiting?.message ?? '', /2 of 2 VM slots/);
  await bench.delete('one');
  await bench.until(async () => (await bench.phase('three')) === 'Running');
});

test('foreign VMs use VM slots', async () => {
  await using bench = await openPodsBench();
  bench.slots.setForeign(2);
  await bench.create('one');
  await bench.until(async () => (await bench.container('one'))?.state?.waiting?.reason === 'WaitingForVMSlot');
  assert.match((await bench.container('one'))?.state?.waiting?.message ?? '', /2 of them by foreign VMs/);
  bench.slots.setForeign(1);
  await bench.until(async () => (await bench.phase('one')) === 'Running');
});

test('the oldest waiting Pod gets the next VM slot, however long its pull took', async () => {
  const images = { pullsIn: (image: string) => (image.includes('slow') ? minutes(5) : seconds(0)) };
  await using bench = await openPodsBench({ images, slots: 1 });
  await bench.create('first');
  await bench.until(async () => (await bench.phase('first')) === 'Running');
  await bench.advance(seconds(1));
  await bench.create('older', { container: { image: 'registry.example/slow:1' } });
  await bench.advance(seconds(1));
  await bench.create('younger');
  await bench.until(async () => (await bench.container('younger'))?.state?.waiting?.reason === 'WaitingForVMSlot');
  await bench.advance(minutes(5));
  await bench.until(async () => (await bench.container('older'))?.state?.waiting?.reason === 'WaitingForVMSlot');
  await bench.delete('first');
  await bench.until(async () => (await bench.phase('older')) === 'Running');
  assert.equal(await bench.phase('younger'), 'Pending');
});

test('an aborted claim leaves the VM slot queue, and the next claim gets the slot', async () => {
  const queue = createSlotQueue({ total: 1 });
  const patience = new AbortController();
  const waits: string[] = [];
  const claim = (uid: string, signal = new AbortController().signal): Promise<void> =>
    queue.claim({ uid, createdAt: uid, signal, onWait: () => waits.push(uid) });
  await claim('a');
  const impatient = claim('b', patience.signal);
  const patient = claim('c');
  patience.abort(new Error('enough'));
  await assert.rejects(impatient, /enough/);
  queue.release('a');
  await patient;
  assert.deepEqual(waits, ['b', 'c']);
  assert.deepEqual([queue.used, queue.waiting], [1, 0]);
});
