import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fileSteps } from '@minifleet/host/testing/engine';
import { ended, uidOf } from './testing/jobs.ts';
import { requestFor, workBench } from './testing/work-bench.ts';

test('every job that is over is told once, whether it ran or never began', async () => {
  const ends: string[] = [];
  const settings = { concurrency: 1, deadline: minutes(50) };
  const bench = workBench({ settings, onEnd: ({ key, state }) => ends.push(`${key.name} ${state.kind}`) });
  bench.work.start(requestFor('a', fileSteps('one')));
  bench.work.start(requestFor('b', fileSteps('two')));
  await bench.work.cancel(uidOf('b'), 'its machine goes');
  await ended(bench, 'a');
  bench.work.forget(uidOf('a'));
  assert.deepEqual(ends, ['b cancelled', 'a converged']);
});
