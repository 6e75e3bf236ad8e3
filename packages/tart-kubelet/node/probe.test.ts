import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { silentLog } from '@minifleet/kube';
import { createProbe } from './probe.ts';
import { createWakeableSleep } from './wakeable-sleep.ts';

test('a host probe reports only changed results and leaves no timer behind', async () => {
  const clock = fakeClock();
  const answers = ['a', 'a', 'b'];
  const changes: (string | undefined)[] = [];
  const probe = createProbe<string>({
    name: 'it',
    clock,
    log: silentLog,
    every: seconds(10),
    within: seconds(5),
    check: async () => answers.shift() ?? 'b',
    onChange: () => changes.push(probe.latest),
  });
  const stop = new AbortController();
  const running = probe.run(stop.signal);
  await clock.advance(seconds(20));
  assert.deepEqual(changes, ['a', 'b']);
  stop.abort();
  await running;
  assert.equal(clock.pending, 0);
});

test('a host probe that hangs times out and is repeated; the last result stays', async () => {
  const clock = fakeClock();
  let looks = 0;
  const probe = createProbe<string>({
    name: 'it',
    clock,
    log: silentLog,
    every: seconds(10),
    within: seconds(5),
    check: () => (++looks === 2 ? new Promise<string>(() => undefined) : Promise.resolve(`answer ${looks}`)),
    onChange: () => undefined,
  });
  const stop = new AbortController();
  const running = probe.run(stop.signal);
  await clock.advance(seconds(15));
  assert.deepEqual([looks, probe.latest], [2, 'answer 1']);
  await clock.advance(seconds(10));
  assert.equal(probe.latest, 'answer 3');
  probe.checkNow();
  await clock.settle();
  assert.equal(looks, 4);
  stop.abort();
  await running;
});

test('a wake-up before a sleep ends that sleep immediately', async () => {
  const clock = fakeClock();
  const rest = createWakeableSleep(clock);
  const { signal } = new AbortController();
  rest.wake();
  await rest.sleep(seconds(10), signal);
  const second = rest.sleep(seconds(10), signal);
  assert.equal(clock.pending, 1);
  await clock.advance(seconds(10));
  await second;
});
