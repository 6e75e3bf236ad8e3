import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW, runnerOf } from '../testing/seen.ts';
import { scaleDownOrder } from './plan-pool.ts';

const at = (minutes: number) => NOW + minutes * 60_000;

test('scale-down order: unscheduled, booting, warm; outdated image first, oldest idle first', () => {
  const runners = [
    runnerOf('idle', { name: 'idle-young', createdAt: at(9) }),
    runnerOf('idle', { name: 'idle-old', createdAt: at(1) }),
    runnerOf('idle', { name: 'idle-stale', stale: true, createdAt: at(8) }),
    runnerOf('starting', { name: 'booting' }),
    runnerOf('pending', { name: 'unscheduled-old', createdAt: at(1) }),
    runnerOf('pending', { name: 'unscheduled-young', createdAt: at(2) }),
    runnerOf('lost', { name: 'lost' }),
  ];
  assert.deepEqual(
    scaleDownOrder(runners).map(({ name }) => name),
    ['unscheduled-young', 'unscheduled-old', 'booting', 'lost', 'idle-stale', 'idle-old', 'idle-young'],
  );
});

test('a runner with a job or in an unknown state is never scaled down', () => {
  const runners = (['busy', 'unseen', 'ended', 'terminating', 'leftover'] as const).map(state => runnerOf(state));
  assert.deepEqual(scaleDownOrder(runners), []);
});
