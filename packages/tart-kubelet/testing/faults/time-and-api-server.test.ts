import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, minutes, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { pods } from '@minifleet/kube';
import { createSyntheticGuests } from '../../guests/testing/synthetic-guests.ts';
import { openPodsBench, type PodsBench } from '../../pods/testing/pods-bench.ts';

/** Makes every request fail and breaks all watches. */
function disconnect({ api }: PodsBench): void {
  api.faults.dropNext({ when: 'before', times: Number.MAX_SAFE_INTEGER });
  api.faults.dropWatches();
}

/** Forces a new list, as after a long disconnection: the last resourceVersion has expired. */
function reconnect({ api }: PodsBench): void {
  api.faults.clear();
  api.faults.expireHistory();
}

test('API server down for ten minutes: guests keep running, exits are reported later, nothing runs twice', async () => {
  await using bench = await openPodsBench({
    behave: ({ pod }) => (pod === 'default/job' ? { exits: { after: minutes(3), exitCode: 5 } } : {}),
  });
  await bench.create('job', { restartPolicy: 'Never' });
  await bench.create('server');
  await bench.until(
    async () => (await bench.phase('job')) === 'Running' && (await bench.phase('server')) === 'Running',
  );
  disconnect(bench);
  await bench.advance(minutes(10));
  assert.equal(bench.guests.all().length, 2, 'the exited guest is kept until its exit is reported');
  reconnect(bench);
  await bench.advance(minutes(1));
  await bench.until(async () => (await bench.phase('job')) === 'Failed');
  assert.equal((await bench.container('job'))?.state?.terminated?.exitCode, 5);
  assert.equal(await bench.phase('server'), 'Running');
  await bench.until(() => bench.guests.all().length === 1);
  assert.equal(bench.guests.started.length, 2);
  assert.equal(bench.slots.used, 1);
});

test('a Pod force-deleted while the agent is disconnected is stopped when the agent learns of it', async () => {
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

/** Clock of a host that a test sets while the agent runs. Timers keep their order and duration. */
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

/** Waits for a condition on a bench whose Pods have their own clock, and runs due timers of that clock. */
const untilOn =
  (bench: PodsBench, inner: FakeClock) =>
  (condition: () => unknown): Promise<unknown> =>
    bench.until(async () => {
      await inner.advance(seconds(0));
      return condition();
    });

const SETTINGS = [
  ['an hour forward', 3_600_000],
  ['an hour back', -3_600_000],
] as const;

for (const [what, by] of SETTINGS) {
  test(`a clock set ${what}: a running Pod keeps running, and a single-shot Pod ends once with its exit code`, async () => {
    const inner = fakeClock();
    const clock = settable(inner);
    const guests = createSyntheticGuests({
      clock: inner,
      behave: ({ pod }) => (pod === 'default/job' ? { exits: { after: minutes(3), exitCode: 5 } } : {}),
    });
    await using bench = await openPodsBench({ options: { clock, guests } });
    const advanceBoth = async (): Promise<void> => {
      for (let second = 0; second < 300; second += 10) {
        await inner.advance(seconds(10));
        await bench.advance(seconds(10));
      }
    };
    const until = untilOn(bench, inner);
    await bench.create('job', { restartPolicy: 'Never' });
    await bench.create('server');
    await until(async () => (await bench.phase('job')) === 'Running' && (await bench.phase('server')) === 'Running');
    clock.set(by);
    await advanceBoth();
    await until(async () => (await bench.phase('job')) === 'Failed');
    assert.equal((await bench.container('job'))?.state?.terminated?.exitCode, 5);
    assert.equal(await bench.phase('server'), 'Running');
    assert.equal(guests.started.length, 2);
  });
}

for (const [what, by] of SETTINGS) {
  test(`a clock set ${what} in a crash loop neither shortens nor extends the back-off`, async () => {
    const inner = fakeClock();
    const clock = settable(inner);
    const guests = createSyntheticGuests({
      clock: inner,
      behave: () => ({ exits: { after: seconds(1), exitCode: 1 } }),
    });
    await using bench = await openPodsBench({ options: { clock, guests } });
    const until = untilOn(bench, inner);
    const waiting = async (): Promise<boolean> =>
      (await bench.container('one'))?.state?.waiting?.reason === 'CrashLoopBackOff';
    await bench.create('one');
    for (const runs of [1, 2]) {
      await until(() => guests.started.length === runs && guests.all().some(({ state }) => state.phase === 'running'));
      await inner.advance(seconds(1));
    }
    await until(waiting);
    clock.set(by);
    // Wakes the worker, which reads the clock.
    const body = { spec: { activeDeadlineSeconds: 86_400 } };
    const changed = await bench.api.client.patch(pods, { namespace: 'default', name: 'one' }, { type: 'merge', body });
    await until(async () => (await bench.get('one'))?.status?.observedGeneration === changed.metadata.generation);
    await inner.advance(seconds(9));
    assert.deepEqual([await waiting(), guests.started.length], [true, 2]);
    await inner.advance(seconds(1));
    await until(() => guests.started.length === 3);
  });
}

test('a clock set back during a preStop hook does not extend the grace period', async () => {
  const inner = fakeClock();
  const clock = settable(inner);
  const guests = createSyntheticGuests({ clock: inner, behave: () => ({ ignoresShutdown: true }) });
  await using bench = await openPodsBench({ options: { clock, guests } });
  const until = untilOn(bench, inner);
  const lifecycle = { preStop: { sleep: { seconds: 5 } } };
  await bench.create('one', { terminationGracePeriodSeconds: 30, container: { lifecycle } });
  await until(async () => (await bench.phase('one')) === 'Running');
  await bench.delete('one');
  await until(() => bench.reasons().includes('Killing'));
  clock.set(-3_600_000);
  await inner.advance(seconds(5));
  await inner.advance(seconds(30));
  await until(() => guests.all().length === 0);
});
