import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, minutes, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { createSyntheticGuests } from '../guests/synthetic/synthetic-guests.ts';
import { openPodsBench, type PodsBench } from '../pods/testing/pods-bench.ts';

/** Nothing gets through, and no watch lives. */
function cutOff({ api }: PodsBench): void {
  api.faults.dropNext({ when: 'before', times: Number.MAX_SAFE_INTEGER });
  api.faults.dropWatches();
}

/** As after a long time away: what was seen is too old to go on from. */
function reconnect({ api }: PodsBench): void {
  api.faults.clear();
  api.faults.expireHistory();
}

test('an API server away for ten minutes: guests run on, an exit meanwhile is told afterwards, and nothing runs twice', async () => {
  await using bench = await openPodsBench({
    behave: ({ pod }) => (pod === 'default/job' ? { exits: { after: minutes(3), exitCode: 5 } } : {}),
  });
  await bench.create('job', { restartPolicy: 'Never' });
  await bench.create('server');
  await bench.until(
    async () => (await bench.phase('job')) === 'Running' && (await bench.phase('server')) === 'Running',
  );
  cutOff(bench);
  await bench.advance(minutes(10));
  assert.equal(bench.guests.all().length, 2, 'the exited one is kept until its exit is told');
  reconnect(bench);
  await bench.advance(minutes(1));
  await bench.until(async () => (await bench.phase('job')) === 'Failed');
  assert.equal((await bench.container('job'))?.state?.terminated?.exitCode, 5);
  assert.equal(await bench.phase('server'), 'Running');
  await bench.until(() => bench.guests.all().length === 1);
  assert.equal(bench.guests.started.length, 2);
  assert.equal(bench.slots.used, 1);
});

test('a Pod deleted by force while the agent is cut off: its guest is stopped as soon as the agent hears of it', async () => {
  await using bench = await openPodsBench();
  await bench.create('forced');
  await bench.until(async () => (await bench.phase('forced')) === 'Running');
  bench.api.faults.dropWatches();
  bench.api.faults.dropNext({ match: { method: 'GET' }, when: 'before', times: Number.MAX_SAFE_INTEGER });
  await bench.delete('forced', 0);
  await bench.advance(minutes(10));
  assert.equal(bench.guests.all().length, 1);
  reconnect(bench);
  await bench.advance(minutes(1));
  await bench.until(() => bench.guests.all().length === 0 && bench.slots.used === 0);
});

/** The host's clock is set while the agent runs: what is later keeps its order, what was timed keeps its length. */
function settable(clock: FakeClock): Clock & { set(by: number): void } {
  let offset = 0;
  return {
    ...clock,
    now: () => clock.now() + offset,
    set(by) {
      offset += by;
    },
  };
}

for (const [what, by] of [
  ['an hour forward', 3_600_000],
  ['an hour back', -3_600_000],
] as const) {
  test(`a clock set ${what}: a running Pod runs on, a single-shot one ends once, with a phase that never goes back`, async () => {
    const inner = fakeClock();
    const clock = settable(inner);
    const guests = createSyntheticGuests({
      clock: inner,
      behave: ({ pod }) => (pod === 'default/job' ? { exits: { after: minutes(3), exitCode: 5 } } : {}),
    });
    await using bench = await openPodsBench({ options: { clock, guests } });
    const later = async (): Promise<void> => {
      for (let second = 0; second < 300; second += 10) {
        await inner.advance(seconds(10));
        await bench.advance(seconds(10));
      }
    };
    const settled = (condition: () => Promise<boolean>): Promise<unknown> =>
      bench.until(async () => {
        await inner.advance(seconds(0));
        return condition();
      });
    await bench.create('job', { restartPolicy: 'Never' });
    await bench.create('server');
    await settled(async () => (await bench.phase('job')) === 'Running' && (await bench.phase('server')) === 'Running');
    clock.set(by);
    await later();
    await settled(async () => (await bench.phase('job')) === 'Failed');
    assert.equal((await bench.container('job'))?.state?.terminated?.exitCode, 5);
    assert.equal(await bench.phase('server'), 'Running');
    assert.equal(guests.started.length, 2);
  });
}
