import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedEnd } from '@minifleet/api';
import { minutes, timestamp } from '@minifleet/clock';
import { avoidHosts } from './create-runners.ts';

const NOW = Date.UTC(2030, 0, 1);
const end = (host: string, outcome: RecordedEnd['outcome'], ago = minutes(1)): RecordedEnd => ({
  ...{ runner: 'a', image: 'i', reason: 'BootTimedOut' },
  ...{ host, outcome, endedAt: timestamp(NOW - ago) },
});
const shunned = (...recentEnds: RecordedEnd[]) => avoidHosts({ status: { recentEnds } }, NOW);

test('I40 a host whose last runner never started is avoided until another one ended differently', () => {
  assert.deepEqual(shunned(end('mac-2', 'NeverStarted'), end('mac-1', 'JobDone'), end('mac-1', 'NeverStarted')), [
    'mac-2',
  ]);
  assert.deepEqual(shunned(end('mac-1', 'Crashed')), []);
});

test('an avoided host gets another chance, and a pool without ends avoids none', () => {
  assert.deepEqual(shunned(end('mac-1', 'NeverStarted', minutes(20))), []);
  assert.deepEqual(avoidHosts({}, NOW), []);
});
