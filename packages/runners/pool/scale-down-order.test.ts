import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW, runnerOf } from '../testing/seen.ts';
import { scaleDownOrder } from './plan-pool.ts';

const at = (minutes: number) => NOW + minutes * 60_000;

test('unscheduled goes before booting, booting before warm, another image first, and of the idle the oldest', () => {
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

test('who has a job, or is not known to have none, is no victim', () => {
  const runners = (['busy', 'unseen', 'ended', 'terminating', 'leftover'] as const).map(state => runnerOf(state));
  assert.deepEqual(scaleDownOrder(runners), []);
});
