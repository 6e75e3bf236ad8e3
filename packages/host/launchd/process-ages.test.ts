import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processAges } from './printed-job.ts';

test('process ages are parsed in every format of ps', () => {
  const listing = [
    '    1 12-03:04:05 /sbin/launchd',
    '  301       00:07 agent --flag',
    '99998    01:00:00 other',
    'rubbish',
    '',
  ];
  assert.deepEqual(
    [...processAges(listing.join('\n'))],
    [
      [1, ((12 * 24 + 3) * 60 + 4) * 60 + 5],
      [301, 7],
      [99_998, 3_600],
    ],
  );
});
