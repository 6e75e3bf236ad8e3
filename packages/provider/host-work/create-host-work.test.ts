import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { readLease } from '@minifleet/host';
import { passTime } from '@minifleet/host/testing';
import { fileNamed, fileSteps } from '@minifleet/host/testing/engine';
import { ended, jobOf, slow, uidOf } from './testing/jobs.ts';
import { requestFor, workBench } from './testing/work-bench.ts';

describe('jobs', () => {
  test('run in the order they were asked for, so many at once', async () => {
    const bench = workBench({ settings: { concurrency: 1, deadline: minutes(50) } });
    for (const name of ['c', 'a', 'b']) bench.work.start(requestFor(name, [slow]));
    assert.deepEqual([bench.work.running, bench.work.queued], [1, 2]);
    assert.deepEqual(jobOf(bench.work, 'b').state, { kind: 'queued', place: 2 });
    await ended(bench, 'b');
    const [c = 0, a = 0, b = 0] = ['c', 'a', 'b'].map(name => jobOf(bench.work, name).startedAt);
    assert.ok(c < a && a < b, `${c} ${a} ${b}`);
    assert.deepEqual([bench.work.running, bench.work.queued], [0, 0]);
  });

  test('of one machine are one at a time: asking again gives the one there is', async () => {
    const bench = workBench();
    const first = bench.work.start(requestFor('mini-01', [slow]));
    assert.equal(bench.work.start(requestFor('mini-01', fileSteps('one'))).id, first.id);
    await passTime(bench.clock, bench.work.cancel(uidOf('mini-01'), 'the test is over'));
    assert.notEqual(bench.work.start(requestFor('mini-01', fileSteps('one'))).id, first.id);
    await ended(bench, 'mini-01');
  });

  test('keep the machine as it was shown to them, whatever the pass makes of it afterwards', async () => {
    const fenced: unknown[] = [];
    const bench = workBench({ fence: async ({ spec }) => void fenced.push(spec.claimRef?.epoch) });
    const request = requestFor('mini-01', fileSteps('one'));
    bench.work.start(request);
    delete request.scope.samm.spec.claimRef;
    await ended(bench, 'mini-01');
    assert.deepEqual(fenced, [1, 1]);
  });

  test('that ended are known until they are forgotten, and leave no timer behind', async () => {
    const bench = workBench();
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    await ended(bench, 'mini-01');
    bench.work.forget(uidOf('mini-01'));
    assert.equal(bench.work.of(uidOf('mini-01')), undefined);
    await bench.clock.advance(minutes(2));
    assert.equal(bench.clock.pending, 0);
  });

  test('that run are not forgotten', async () => {
    const bench = workBench();
    bench.work.start(requestFor('mini-01', [slow]));
    bench.work.forget(uidOf('mini-01'));
    assert.ok(bench.work.of(uidOf('mini-01')));
    await passTime(bench.clock, bench.work.cancel(uidOf('mini-01'), 'the test is over'));
  });
});

describe('cancelling', () => {
  test('a job that runs stops it inside its step and resolves when the host is let go', async () => {
    const bench = workBench();
    bench.work.start(requestFor('mini-01', [slow, ...fileSteps('after')]));
    await bench.clock.advance(seconds(20));
    await passTime(bench.clock, bench.work.cancel(uidOf('mini-01'), 'the machine is being deleted'));
    assert.deepEqual(jobOf(bench.work, 'mini-01').state, { kind: 'cancelled', why: 'the machine is being deleted' });
    assert.equal((await passTime(bench.clock, readLease(bench.host)))?.held, false);
    assert.equal(bench.mac.files.exists(bench.root, fileNamed('after').path), false);
    assert.equal(bench.work.running, 0);
  });

  test('a job in the queue takes it out before it is ever begun', async () => {
    const bench = workBench({ settings: { concurrency: 1, deadline: minutes(50) } });
    bench.work.start(requestFor('a', [slow]));
    bench.work.start(requestFor('b', fileSteps('b')));
    bench.work.start(requestFor('c', fileSteps('c')));
    await bench.work.cancel(uidOf('b'), 'the machine is being deleted');
    assert.equal(jobOf(bench.work, 'b').state.kind, 'cancelled');
    assert.deepEqual(jobOf(bench.work, 'c').state, { kind: 'queued', place: 1 });
    await ended(bench, 'c');
    assert.equal(bench.mac.files.exists(bench.root, fileNamed('b').path), false);
  });

  test('what has ended, or never was, is done at once', async () => {
    const bench = workBench();
    await bench.work.cancel(uidOf('nobody'), 'no reason');
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    await ended(bench, 'mini-01');
    await bench.work.cancel(uidOf('mini-01'), 'too late');
    assert.equal(jobOf(bench.work, 'mini-01').state.kind, 'converged');
  });
});

describe('changes', () => {
  test('are told at once at the end, and before it no more than once a second', async () => {
    const bench = workBench();
    const job = bench.work.start(requestFor('mini-01', fileSteps('one', 'two', 'three', 'four')));
    assert.equal(job.state.kind, 'running');
    assert.deepEqual(bench.told, [], 'who started it knows that it runs: nobody is woken for it');
    await ended(bench, 'mini-01');
    const seen = bench.told.map(line => Number(/([\d.]+)s$/.exec(line)?.[1]));
    const [last, ...others] = seen.toReversed();
    assert.ok(
      last !== undefined && others.every((second, index) => index === 0 || (others[index - 1] ?? 0) - second >= 1),
    );
    assert.ok(seen.length < jobOf(bench.work, 'mini-01').entries.size * 2, bench.told.join());
  });

  test('are told when a job that waited for its place begins', async () => {
    const bench = workBench({ settings: { concurrency: 1, deadline: minutes(50) } });
    bench.work.start(requestFor('a', [slow]));
    bench.work.start(requestFor('b', [slow]));
    await ended(bench, 'a');
    assert.equal(jobOf(bench.work, 'b').state.kind, 'running');
    assert.ok(
      bench.told.some(line => line.startsWith('fleet/b ')),
      bench.told.join(),
    );
    await passTime(bench.clock, bench.work.cancel(uidOf('b'), 'the test is over'));
  });

  test('of an inspection are its end alone: it leaves no trace before', async () => {
    const bench = workBench({ settings: { concurrency: 1, deadline: minutes(50) } });
    const request = requestFor('a', fileSteps('one', 'two', 'three', 'four'), { kind: 'inspect' });
    bench.work.start(request);
    await ended(bench, 'a');
    bench.work.start(requestFor('b', [slow]));
    bench.work.start({ ...request, scope: requestFor('c', []).scope });
    await ended(bench, 'c');
    const told = bench.told.map(line => line.split(' ')[0]);
    assert.deepEqual(
      told.filter(name => name !== 'fleet/b'),
      ['fleet/a', 'fleet/c'],
    );
  });

  test('are told once a minute while nothing happens, so that a sign of life can be written', async () => {
    const bench = workBench();
    bench.work.start(requestFor('mini-01', [slow]));
    await bench.clock.advance(seconds(10));
    const before = bench.told.length;
    await bench.clock.advance(minutes(3));
    assert.equal(bench.told.length, before + 3, bench.told.join());
    assert.equal(bench.clock.now() - jobOf(bench.work, 'mini-01').heartbeatAt, 10_000);
    await passTime(bench.clock, bench.work.cancel(uidOf('mini-01'), 'the test is over'));
  });

  test('are not told to who listens no more', async () => {
    const bench = workBench();
    const heard: string[] = [];
    const stop = bench.work.onChange(({ name }) => heard.push(name));
    stop();
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    await ended(bench, 'mini-01');
    assert.deepEqual(heard, []);
  });
});
