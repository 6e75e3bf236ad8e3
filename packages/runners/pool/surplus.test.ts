import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import type { PoolRunner } from '../runner/runner.ts';
import { NOW, podOf, poolOf, runnerOf, statusOf } from '../testing/seen.ts';
import { type PoolView, rollCap, surplus } from './plan-pool.ts';

const causes = (runners: readonly PoolRunner[], more: Partial<PoolView> = {}): Readonly<Record<string, string>> => {
  const view: PoolView = {
    spec: poolOf({ replicas: runners.length }).spec,
    ...{ deleting: false, runners, lostSince: new Map(), lostAfter: minutes(5), stuck: new Set(), now: NOW },
    ...more,
  };
  return Object.fromEntries([...surplus(view)].map(([{ name }, cause]) => [name, cause]));
};
const spec = (more: Parameters<typeof poolOf>[0]) => ({ spec: poolOf(more).spec });
const many = (count: number, state: PoolRunner['state'], more: Partial<PoolRunner> = {}): PoolRunner[] =>
  Array.from({ length: count }, (_, index) => runnerOf(state, { ...more, name: `${state}-${index}` }));

test('the rollout budget is a share of the pool, rounded down, at least one', () => {
  const rows = [
    [9, 5, 1],
    [20, 5, 1],
    [21, 5, 1],
    [40, 5, 2],
    [100, 5, 5],
    [40, 10, 4],
    [0, 5, 1],
    [9, -1, 1],
  ] as const;
  for (const [replicas, percent, cap] of rows) assert.equal(rollCap(replicas, percent), cap, `${replicas} ${percent}`);
});

test('a pool at its desired size has no surplus', () => {
  assert.deepEqual(causes([...many(3, 'idle'), ...many(2, 'busy')]), {});
});

describe('a pool that gets smaller', () => {
  test('scale-down removes unscheduled before warm runners, and keeps busy ones', () => {
    const runners = [...many(2, 'busy'), ...many(2, 'idle'), ...many(1, 'pending')];
    assert.deepEqual(causes(runners, spec({ replicas: 4 })), { 'pending-0': 'ScaledDown' });
    assert.deepEqual(causes(runners, spec({ replicas: 3 })), { 'pending-0': 'ScaledDown', 'idle-0': 'ScaledDown' });
    assert.equal(Object.keys(causes(runners, spec({ replicas: 0 }))).length, 3);
  });

  test('scale-down removes runners with an outdated image first', () => {
    const runners = [runnerOf('idle', { name: 'own' }), runnerOf('idle', { name: 'other', stale: true })];
    assert.deepEqual(causes(runners, spec({ replicas: 1 })), { other: 'ImageRolled' });
  });
});

describe('a roll', () => {
  const half = { rollout: { maxConcurrentPercent: 40 } };

  test('a rollout removes no warm runner while the new image crashes', () => {
    for (const left of [9, 5, 1]) {
      assert.deepEqual(
        causes(many(left, 'idle', { stale: true }), spec({ replicas: 10 })),
        {},
        `${left} of 10 are left`,
      );
    }
    assert.equal(Object.keys(causes(many(10, 'idle', { stale: true }), spec({ replicas: 10 }))).length, 1);
  });

  test('a rollout removes runners up to its budget, unscheduled first', () => {
    const runners = [...many(3, 'idle', { stale: true }), ...many(2, 'pending', { stale: true })];
    assert.deepEqual(causes(runners, spec({ replicas: 5, ...half })), {
      'pending-0': 'ImageRolled',
      'pending-1': 'ImageRolled',
    });
  });

  test('a rollout waits for new runners to be online and old ones to be gone', () => {
    const stale = many(4, 'idle', { stale: true });
    assert.deepEqual(causes([...stale, runnerOf('starting', { name: 'new' })], spec({ replicas: 5 })), {});
    assert.deepEqual(causes([...stale, runnerOf('pending', { name: 'new' })], spec({ replicas: 5 })), {});
    assert.deepEqual(causes([...stale, runnerOf('terminating', { name: 'old' })], spec({ replicas: 5 })), {});
  });

  test('a rollout ignores unschedulable and stuck Pods', () => {
    const stale = many(4, 'idle', { stale: true });
    const waiting = runnerOf('pending', { name: 'new', createdAt: NOW - minutes(2) });
    assert.deepEqual(causes([...stale, waiting], spec({ replicas: 5 })), { 'idle-0': 'ImageRolled' });
    const stuck = { ...spec({ replicas: 4 }), stuck: new Set(['old']) };
    assert.deepEqual(causes([...stale, runnerOf('terminating', { name: 'old' })], stuck), { 'idle-0': 'ImageRolled' });
  });

  test('a rollout keeps busy runners', () => {
    assert.deepEqual(causes(many(3, 'busy', { stale: true })), {});
  });
});

describe('one runner is given up', () => {
  test('a runner that is not online in time is removed', () => {
    const started = { startedAt: new Date(NOW - minutes(5)).toISOString() };
    const pod = podOf({ node: 'mac-1', status: statusOf('Running', { running: started }) });
    const slow = runnerOf('starting', { pod, registration: { id: 1, mintedAt: NOW - minutes(6) } });
    assert.deepEqual(causes([slow]), { a: 'StartTimedOut' });
    assert.deepEqual(causes([slow], { now: NOW - 1 }), {});
    assert.deepEqual(causes([slow], spec({ replicas: 1, provisioning: { startTimeoutSeconds: 0 } })), {});
  });

  test('a runner that is idle for too long is surplus', () => {
    const idle = runnerOf('idle', { registration: { id: 1, onlineSince: NOW - seconds(300) } });
    assert.deepEqual(causes([idle], spec({ replicas: 1, idleTimeoutSeconds: 300 })), { a: 'IdleTooLong' });
    assert.deepEqual(causes([idle], spec({ replicas: 1, idleTimeoutSeconds: 301 })), {});
    assert.deepEqual(causes([idle]), {});
  });

  test('a runner lost at GitHub for too long is removed, also in a pool being deleted', () => {
    const lost = runnerOf('lost');
    const since = (ago: number) => ({ lostSince: new Map([['a', NOW - ago]]) });
    assert.deepEqual(causes([lost], since(minutes(4))), {});
    assert.deepEqual(causes([lost], since(minutes(5))), { a: 'RegistrationLost' });
    assert.deepEqual(causes([lost], { ...since(minutes(5)), deleting: true }), { a: 'RegistrationLost' });
  });

  test('runners of a cordoned Node or a deleted pool are removed', () => {
    assert.deepEqual(causes([runnerOf('idle', { draining: true })]), { a: 'NodeDraining' });
    assert.deepEqual(causes([runnerOf('idle')], { deleting: true }), { a: 'PoolDeleted' });
  });
});
