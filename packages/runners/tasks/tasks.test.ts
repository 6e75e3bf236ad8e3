import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { FORGE_GROUP_UNKNOWN, FORGE_UNAVAILABLE } from '@minifleet/forges';
import { silentLog } from '@minifleet/kube';
import { createTaskRunner, type TaskRequest } from './tasks.ts';

function bench() {
  const clock = fakeClock();
  const woken: string[] = [];
  const errands = createTaskRunner({ clock, log: silentLog, wake: pool => woken.push(pool) });
  const concurrencyKey = {};
  const start = (work: TaskRequest['work'], more: Partial<TaskRequest> = {}) =>
    errands.start({ pool: 'runners/p', runner: 'a', kind: 'register', concurrencyKey, work, ...more });
  return { clock, woken, errands, start };
}

test('a runner has one task at a time, and its pool is woken afterwards', async () => {
  const { clock, woken, start } = bench();
  const gate = Promise.withResolvers<undefined>();
  const ran: string[] = [];
  start(() => gate.promise);
  start(async () => void ran.push('again'));
  start(async () => void ran.push('other'), { runner: 'b' });
  await clock.settle();
  assert.deepEqual([ran, woken], [['other'], ['runners/p']]);
  gate.resolve(undefined);
  await clock.settle();
  assert.equal(woken.length, 2);
});

test('tasks with one concurrency key are limited, others wait in order', async () => {
  const { clock, start } = bench();
  const gates = Array.from({ length: 12 }, () => Promise.withResolvers<undefined>());
  let running = 0;
  for (const [index, gate] of gates.entries()) {
    const work = () => {
      running += 1;
      return gate.promise;
    };
    start(work, { runner: `r-${index}` });
  }
  await clock.settle();
  assert.equal(running, 8);
  gates[0]?.resolve(undefined);
  await clock.settle();
  assert.equal(running, 9);
});

test('a failed task is retried by the rule of its error, which is reported meanwhile', async () => {
  const { clock, errands, start, woken } = bench();
  let tries = 0;
  const failing = (error: Error) => async () => {
    tries += 1;
    throw error;
  };
  const work = failing(FORGE_GROUP_UNKNOWN({ forge: 'f', group: 'g', account: 'a', known: 'Default' }));
  start(work);
  await clock.settle();
  start(work);
  await clock.settle();
  assert.equal(tries, 1);
  assert.equal(errands.failure('runners/p')?.reason, 'RunnerGroupUnknown');
  assert.equal(errands.failure('runners/other'), undefined);
  woken.length = 0;
  await clock.advance(seconds(300));
  assert.deepEqual(woken, ['runners/p']);
  assert.equal(errands.failure('runners/p'), undefined);
  start(work);
  await clock.settle();
  assert.equal(tries, 2);
});

test('an error handled elsewhere causes no backoff', async () => {
  const { clock, start } = bench();
  let tries = 0;
  const work = async () => {
    tries += 1;
    throw FORGE_UNAVAILABLE({ forge: 'f', call: 'c', why: 'w' });
  };
  for (let turn = 0; turn < 2; turn++) {
    start(work, { onError: () => true });
    await clock.settle();
  }
  assert.equal(tries, 2);
});

test('a stopped task runner starts nothing, wakes nothing and leaves no timer', async () => {
  const { clock, errands, start, woken } = bench();
  start(async () => ({ backoffFor: seconds(10) }));
  await clock.settle();
  errands.stop();
  woken.length = 0;
  start(async () => assert.fail('it started'), { runner: 'b' });
  await clock.advance(seconds(60));
  assert.deepEqual([woken, clock.pending], [[], 0]);
});
