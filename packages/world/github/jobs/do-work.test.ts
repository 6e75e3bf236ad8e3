import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { doWork, type JobExecutor, type JobWork } from './job.ts';

const ran: string[] = [];

function hands(more: Partial<JobExecutor> = {}) {
  const stop = new AbortController();
  const run: JobExecutor['run'] = async script => {
    ran.push(script);
    return script === 'false' ? 1 : 0;
  };
  return { clock: fakeClock(), run, signal: stop.signal, stop, ...more };
}

function work(more: Partial<JobWork>) {
  const release = new AbortController();
  const requested: JobWork = {
    ...{ script: undefined, takes: undefined, held: false, ends: undefined, released: release.signal },
    ...more,
  };
  return { requested, release };
}

test('jobs: a script decides the conclusion and takes only its own time', async () => {
  assert.equal(await doWork(work({ script: 'true' }).requested, hands()), 'success');
  assert.equal(await doWork(work({ script: 'false', ends: 'success' }).requested, hands()), 'failure');
});

test('jobs: duration and hold come after the script', async () => {
  const clock = fakeClock();
  const { requested, release } = work({ script: 'true', held: true, ends: 'failure' });
  const held = doWork(requested, hands({ clock }));
  const timed = doWork(work({ script: 'true', takes: seconds(5) }).requested, hands({ clock }));
  let over = false;
  void timed.then(() => (over = true));
  await clock.advance(seconds(4));
  assert.equal(over, false);
  await clock.advance(seconds(1));
  assert.equal(await timed, 'success');
  release.abort();
  assert.equal(await held, 'failure');
});

test('jobs: a job cancelled before its script starts does not run it', async () => {
  const before = ran.length;
  const given = hands();
  given.stop.abort();
  assert.equal(await doWork(work({ script: 'true' }).requested, given), 'cancelled');
  assert.equal(ran.length, before);
});
