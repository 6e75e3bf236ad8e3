import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createStopOrders, stopMarks } from './stop-orders.ts';

const never = new Promise<void>(() => undefined);

test('stopMarks gives the process most of the grace period and reserves the rest for the power cut', () => {
  assert.deepEqual(stopMarks(seconds(30)), { cut: 25_000, kill: 30_000 });
  assert.deepEqual(stopMarks(seconds(5)), { cut: 4_000, kill: 5_000 });
  assert.deepEqual(stopMarks(seconds(0)), { cut: 0, kill: 2_000 });
});

test('settledBefore resolves when the promise settles or at the mark', async () => {
  const clock = fakeClock();
  const orders = createStopOrders(clock);
  orders.order(seconds(30));
  assert.equal(await orders.settledBefore('cut', Promise.reject(new Error('lost'))), true);
  const waiting = orders.settledBefore('cut', never);
  await clock.advance(seconds(25));
  assert.equal(await waiting, false);
});

test('a later stop order can shorten the grace period but not extend it', async () => {
  const clock = fakeClock();
  const orders = createStopOrders(clock);
  orders.order(seconds(60));
  let ended: boolean | undefined;
  void orders.settledBefore('kill', never).then(result => {
    ended = result;
  });
  await clock.advance(seconds(1));
  orders.order(seconds(600));
  orders.order(seconds(3));
  await clock.advance(seconds(2));
  assert.equal(ended, undefined);
  await clock.advance(seconds(1));
  assert.equal(ended, false);
});
