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
  const wanted: JobWork = {
    ...{ script: undefined, takes: undefined, held: false, ends: undefined, released: release.signal },
    ...more,
  };
  return { wanted, release };
}

test('a script decides how the job ends, and takes no time beyond its own', async () => {
  assert.equal(await doWork(work({ script: 'true' }).wanted, hands()), 'success');
  assert.equal(await doWork(work({ script: 'false', ends: 'success' }).wanted, hands()), 'failure');
});

test('time and a held end come after the script', async () => {
  const clock = fakeClock();
  const { wanted, release } = work({ script: 'true', held: true, ends: 'failure' });
  const held = doWork(wanted, hands({ clock }));
  const timed = doWork(work({ script: 'true', takes: seconds(5) }).wanted, hands({ clock }));
  let over = false;
  void timed.then(() => (over = true));
  await clock.advance(seconds(4));
  assert.equal(over, false);
  await clock.advance(seconds(1));
  assert.equal(await timed, 'success');
  release.abort();
  assert.equal(await held, 'failure');
});

test('a job that was cancelled before its script began does not run it', async () => {
  const before = ran.length;
  const given = hands();
  given.stop.abort();
  assert.equal(await doWork(work({ script: 'true' }).wanted, given), 'cancelled');
  assert.equal(ran.length, before);
});
