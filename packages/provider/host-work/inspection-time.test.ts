import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds, minutes } from '@minifleet/clock';
import { inspectionTime } from './inspection-time.ts';

const SEEN = '2030-01-01T00:00:00Z';

test('a host is looked at again about so long after it was last seen, each at a time of its own and the same each time', () => {
  const times = Array.from({ length: 200 }, (_, number) => inspectionTime(`uid-${number}`, SEEN, minutes(10)) ?? 0);
  const after = times.map(time => (time - Date.parse(SEEN)) / minutes(1));
  assert.ok(Math.min(...after) >= 9 && Math.max(...after) <= 11, `${Math.min(...after)} to ${Math.max(...after)}`);
  assert.ok(new Set(times).size > 190);
  assert.equal(inspectionTime('uid-7', SEEN, minutes(10)), times[7]);
});

test('a host is never looked at where that is off, and not before it was once as wanted', () => {
  assert.equal(inspectionTime('uid', SEEN, milliseconds(0)), undefined);
  assert.equal(inspectionTime('uid', undefined, minutes(10)), undefined);
});
