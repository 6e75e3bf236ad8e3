import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobTimes } from './job-times.ts';

const line = (time: string, job: string, message: string): string =>
  JSON.stringify({ level: 'info', time: `2026-01-01T00:00:${time}Z`, job, message });

test('job times are read from start and end in the log, without running jobs', () => {
  const log = [
    line('00.000', 'a', 'Host job started'),
    line('01.000', 'b', 'Host job started'),
    'not JSON: "Host job started"',
    line('02.500', 'a', 'Host job finished'),
    line('03.000', 'c', 'Host job started'),
    line('09.000', 'b', 'Host job finished'),
  ].join('\n');
  assert.deepEqual(jobTimes(log), [2.5, 8]);
});
