import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createChannelSemaphore } from './ssh-connection.ts';

const never = new AbortController().signal;

test('SSH channels are granted in request order', async () => {
  const places = createChannelSemaphore(2);
  const order: number[] = [];
  const leaves: (() => void)[] = [];
  const all = [0, 1, 2, 3, 4].map(async number => {
    const leave = await places.take(never);
    order.push(number);
    if (leave) leaves.push(leave);
  });
  await setImmediate();
  assert.deepEqual(order, [0, 1]);
  while (leaves.length > 0) {
    leaves.shift()?.();
    await setImmediate();
  }
  await Promise.all(all);
  assert.deepEqual(order, [0, 1, 2, 3, 4]);
});

test('an aborted request takes no SSH channel', async () => {
  const places = createChannelSemaphore(1);
  const leave = await places.take(never);
  const impatient = new AbortController();
  const waiting = places.take(impatient.signal);
  const behind = places.take(never);
  impatient.abort();
  assert.equal(await waiting, undefined);
  leave?.();
  assert.equal(typeof (await behind), 'function');
  assert.equal(await places.take(AbortSignal.abort()), undefined);
});

test('releasing an SSH channel twice frees it once', async () => {
  const places = createChannelSemaphore(1);
  const leave = await places.take(never);
  leave?.();
  leave?.();
  await places.take(never);
  let got = false;
  void places.take(never).then(() => {
    got = true;
  });
  await setImmediate();
  assert.equal(got, false);
});
