import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { readLease } from '@minifleet/host';
import { passTime } from '@minifleet/host/testing';
import { fileNamed, fileSteps } from '@minifleet/host/testing/engine';
import { ended, jobBench, jobOf, requestFor, slow } from './testing/job-bench.ts';

const oneAtOnce = { settings: { concurrency: 1, deadline: minutes(50) } };

test('jobs run in the order in which they were requested, a limited number at once', async () => {
  const bench = jobBench(oneAtOnce);
  for (const name of ['c', 'a', 'b']) bench.jobs.start(requestFor(name, [slow]));
  assert.deepEqual([bench.jobs.running, bench.jobs.queued], [1, 2]);
  assert.deepEqual(jobOf(bench.jobs, 'b').state, { kind: 'queued', place: 2 });
  await ended(bench, 'b');
  const [c = 0, a = 0, b = 0] = ['c', 'a', 'b'].map(name => jobOf(bench.jobs, name).startedAt);
  assert.ok(c < a && a < b, `${c} ${a} ${b}`);
  assert.deepEqual([bench.jobs.running, bench.jobs.queued], [0, 0]);
});

test('a host has one job at a time: a second request returns the job that runs', async () => {
  const bench = jobBench();
  const first = bench.jobs.start(requestFor('mini-01', [slow]));
  assert.equal(bench.jobs.start(requestFor('mini-01', fileSteps('one'))).id, first.id);
  await passTime(bench.clock, bench.jobs.cancel('mini-01', 'the test is over'));
  assert.notEqual(bench.jobs.start(requestFor('mini-01', fileSteps('one'))).id, first.id);
  await ended(bench, 'mini-01');
});

test('a job keeps the host as it was requested, whatever the reconcile changes in its draft', async () => {
  const fenced: unknown[] = [];
  const bench = jobBench({ fence: async ({ spec }) => void fenced.push(spec.consumerRef?.name) });
  const request = requestFor('mini-01', fileSteps('one'));
  bench.jobs.start(request);
  delete request.host.spec.consumerRef;
  await ended(bench, 'mini-01');
  assert.deepEqual(fenced, ['of-mini-01', 'of-mini-01']);
});

test('an ended job is known until it is forgotten, and leaves no timer', async () => {
  const bench = jobBench();
  bench.jobs.start(requestFor('mini-01', fileSteps('one')));
  await ended(bench, 'mini-01');
  bench.jobs.forget('mini-01');
  assert.equal(bench.jobs.of('mini-01'), undefined);
  await bench.clock.advance(minutes(2));
  assert.equal(bench.clock.pending, 0);
});

test('a running job is not forgotten', async () => {
  const bench = jobBench();
  bench.jobs.start(requestFor('mini-01', [slow]));
  bench.jobs.forget('mini-01');
  assert.ok(bench.jobs.of('mini-01'));
  await passTime(bench.clock, bench.jobs.cancel('mini-01', 'the test is over'));
});

test('the cancellation of a running job stops it inside its step and ends when the host is free', async () => {
  const bench = jobBench();
  bench.jobs.start(requestFor('mini-01', [slow, ...fileSteps('after')]));
  await bench.clock.advance(seconds(20));
  await passTime(bench.clock, bench.jobs.cancel('mini-01', 'the machine is deleted'));
  assert.deepEqual(jobOf(bench.jobs, 'mini-01').state, { kind: 'cancelled', why: 'the machine is deleted' });
  assert.equal((await passTime(bench.clock, readLease(bench.host)))?.held, false);
  assert.equal(bench.mac.files.exists(bench.root, fileNamed('after').path), false);
  assert.equal(bench.jobs.running, 0);
});

test('the cancellation of a queued job removes it from the queue before it starts', async () => {
  const bench = jobBench(oneAtOnce);
  bench.jobs.start(requestFor('a', [slow]));
  bench.jobs.start(requestFor('b', fileSteps('b')));
  bench.jobs.start(requestFor('c', fileSteps('c')));
  await bench.jobs.cancel('b', 'the machine is deleted');
  assert.equal(jobOf(bench.jobs, 'b').state.kind, 'cancelled');
  assert.deepEqual(jobOf(bench.jobs, 'c').state, { kind: 'queued', place: 1 });
  await ended(bench, 'c');
  assert.equal(bench.mac.files.exists(bench.root, fileNamed('b').path), false);
});

test('the cancellation of an ended or unknown job does nothing', async () => {
  const bench = jobBench();
  await bench.jobs.cancel('unknown', 'no reason');
  bench.jobs.start(requestFor('mini-01', fileSteps('one')));
  await ended(bench, 'mini-01');
  await bench.jobs.cancel('mini-01', 'too late');
  assert.equal(jobOf(bench.jobs, 'mini-01').state.kind, 'converged');
});

test('changes of a job are reported at once at its end, and before that at most once per second', async () => {
  const bench = jobBench();
  const job = bench.jobs.start(requestFor('mini-01', fileSteps('one', 'two', 'three', 'four')));
  assert.equal(job.state.kind, 'running');
  assert.equal(bench.changes.length, 0, 'the caller that started the job knows that it runs');
  await ended(bench, 'mini-01');
  const at = bench.changes.map(change => Number(change.split(' ')[1]));
  const before = at.slice(0, -1);
  assert.ok(
    before.every((second, index) => index === 0 || second - (before[index - 1] ?? 0) >= 1),
    at.join(),
  );
  assert.ok(at.length > 0 && at.length < jobOf(bench.jobs, 'mini-01').entries.size * 2, at.join());
});

test('the start of a job that was queued is reported', async () => {
  const bench = jobBench(oneAtOnce);
  bench.jobs.start(requestFor('a', [slow]));
  bench.jobs.start(requestFor('b', [slow]));
  await ended(bench, 'a');
  assert.equal(jobOf(bench.jobs, 'b').state.kind, 'running');
  assert.ok(bench.changes.some(change => change.startsWith('b ')));
  await passTime(bench.clock, bench.jobs.cancel('b', 'the test is over'));
});

test('of an inspection only the end is reported, because it writes nothing before', async () => {
  const bench = jobBench(oneAtOnce);
  const inspection = { kind: 'inspect' } as const;
  bench.jobs.start(requestFor('a', fileSteps('one', 'two', 'three', 'four'), inspection));
  await ended(bench, 'a');
  assert.equal(bench.jobs.inspectedAt('a'), jobOf(bench.jobs, 'a').heartbeatAt);
  assert.equal(bench.jobs.endedAt('a'), jobOf(bench.jobs, 'a').heartbeatAt);
  bench.jobs.start(requestFor('b', [slow]));
  bench.jobs.start(requestFor('c', fileSteps('one', 'two', 'three', 'four'), inspection));
  await ended(bench, 'c');
  const inspected = bench.changes.map(change => change.split(' ')[0]).filter(host => host !== 'b');
  assert.deepEqual(inspected, ['a', 'c']);
});

test('a job without progress is reported once per minute, so that its heartbeat is written', async () => {
  const bench = jobBench();
  bench.jobs.start(requestFor('mini-01', [slow]));
  await bench.clock.advance(seconds(10));
  const before = bench.changes.length;
  await bench.clock.advance(minutes(3));
  assert.equal(bench.changes.length, before + 3, bench.changes.join());
  assert.equal(bench.clock.now() - jobOf(bench.jobs, 'mini-01').heartbeatAt, 10_000);
  await passTime(bench.clock, bench.jobs.cancel('mini-01', 'the test is over'));
});

test('a listener that is removed hears no change', async () => {
  const bench = jobBench();
  const heard: string[] = [];
  const stop = bench.jobs.onChange(host => heard.push(host));
  stop();
  bench.jobs.start(requestFor('mini-01', fileSteps('one')));
  await ended(bench, 'mini-01');
  assert.deepEqual(heard, []);
});

test('every job that is over is counted once, whether it ran or not', async () => {
  const ends: string[] = [];
  const bench = jobBench({ ...oneAtOnce, onEnd: ({ host, state }) => ends.push(`${host} ${state.kind}`) });
  bench.jobs.start(requestFor('a', fileSteps('one')));
  bench.jobs.start(requestFor('b', fileSteps('two')));
  await bench.jobs.cancel('b', 'its machine is deleted');
  await ended(bench, 'a');
  bench.jobs.forget('a');
  assert.deepEqual(ends, ['b cancelled', 'a converged']);
});
