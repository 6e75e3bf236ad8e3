import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds, timestamp } from '@minifleet/clock';
import type { PoolRunner } from '../runner/runner.ts';
import { IMAGE, NOW, podOf, poolOf, runnerOf, statusOf } from '../testing/seen.ts';
import { type PlanInput, planPool } from './plan-pool.ts';

const plan = (runners: readonly PoolRunner[], more: Partial<PlanInput> = {}) =>
  planPool({
    ...{ pool: poolOf({ replicas: 2 }), runners, barred: false, now: NOW },
    ...{ lostSince: new Map(), lostAfter: minutes(5), stuck: new Set<string>() },
    ...more,
  });
const done = (...args: Parameters<typeof plan>) =>
  plan(...args).tasks.map(({ runner, action, cause }) => [runner.name, action, cause].filter(Boolean).join(' '));
const exited = (exitCode: number, name: string) =>
  podOf({
    name,
    node: 'mac-1',
    status: statusOf(exitCode === 0 ? 'Succeeded' : 'Failed', {
      terminated: { exitCode, startedAt: timestamp(NOW) },
    }),
  });

describe('what a pool lacks is made', () => {
  test('missing runners are created at once', () => {
    assert.equal(plan([]).create, 2);
    assert.equal(plan([runnerOf('idle', { pod: podOf({ node: 'mac-1' }) })]).create, 1);
  });

  test('a runner that ended normally is replaced before it is reaped', () => {
    const ended = runnerOf('ended', { pod: exited(0, 'a') });
    const idle = runnerOf('idle', { name: 'b', pod: podOf({ name: 'b' }) });
    assert.equal(plan([ended, idle]).create, 1);
    assert.deepEqual(done([ended, idle]), ['a reap']);
  });

  test('a failed runner is replaced after it is recorded, with backoff', () => {
    const ended = runnerOf('ended', { pod: exited(1, 'a') });
    const idle = runnerOf('idle', { name: 'b', pod: podOf({ name: 'b' }) });
    assert.equal(plan([ended, idle]).create, 0);
    const end = { runner: 'a', image: IMAGE, outcome: 'Crashed', reason: 'Error', endedAt: timestamp(NOW) } as const;
    const recorded = poolOf({ replicas: 2 }, { recentEnds: [end] });
    assert.equal(plan([ended, idle], { pool: recorded }).create, 1);
    const crashes = { image: IMAGE, failures: 1, retryAfter: timestamp(NOW + seconds(10)) };
    const waiting = plan([idle], { pool: poolOf({ replicas: 2 }, { recentEnds: [end], crashes }) });
    assert.deepEqual([waiting.create, waiting.nextAt], [0, NOW + seconds(10)]);
  });

  test('no runner is created for a blocked or deleted pool', () => {
    assert.equal(plan([], { barred: true }).create, 0);
    const pool = poolOf({ replicas: 2 });
    const going = { ...pool, metadata: { ...pool.metadata, deletionTimestamp: timestamp(NOW) } };
    assert.equal(plan([], { pool: going }).create, 0);
  });

  test('a surplus runner is replaced only after it is gone', () => {
    const pods = ['a', 'b'].map(name => runnerOf('idle', { name, pod: podOf({ name }), draining: true }));
    assert.equal(plan(pods).create, 0);
  });
});

test('a scheduled runner is registered once', () => {
  assert.deepEqual(done([runnerOf('starting')]), ['a register']);
  assert.deepEqual(done([runnerOf('starting', { registration: { id: 1 } })]), []);
  assert.deepEqual(done([runnerOf('pending')]), []);
});

test('a surplus runner is retired with its cause, a busy one is kept', () => {
  const runners = [runnerOf('idle', { name: 'a', draining: true }), runnerOf('busy', { name: 'b', draining: true })];
  assert.deepEqual(done(runners), ['a retire NodeDraining']);
});

test('leftovers of a runner are cleared', () => {
  assert.deepEqual(done([runnerOf('leftover', { pod: undefined })]), ['a clear']);
});

test('the next deadline is the time of the next reconcile', () => {
  const idle = runnerOf('idle', { registration: { id: 1, onlineSince: NOW - seconds(10) } });
  assert.equal(plan([idle], { pool: poolOf({ replicas: 1, idleTimeoutSeconds: 60 }) }).nextAt, NOW + seconds(50));
  assert.equal(plan([idle], { pool: poolOf({ replicas: 1 }) }).nextAt, undefined);
});
