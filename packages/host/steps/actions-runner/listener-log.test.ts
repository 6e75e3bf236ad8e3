import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readListenerLog } from './runner-state.ts';

const START = `.path=/usr/bin:/bin
Starting Runner listener with startup type: service
Started listener process, pid: 417
Started running service
`;
const UP = `
√ Connected to GitHub

Current runner version: '2.330.0'
2026-03-01 10:00:00Z: Listening for Jobs
`;
const LOST =
  '2026-03-01 11:00:00Z: Runner connect error: Connection refused (api.github.com:443). Retrying until reconnected.\n';

test('the last listener message since the last start counts', () => {
  const log: [string, unknown][] = [
    ['', { state: 'unknown' }],
    ['Listening for Jobs\n', { state: 'unknown' }],
    [START, { state: 'connecting' }],
    [START + UP, { state: 'connected' }],
    [START + UP + START, { state: 'connecting' }],
    [`${START}${UP}2026-03-01 10:01:00Z: Running job: bake\n`, { state: 'connected' }],
    [START + UP + LOST, { state: 'failing', words: 'Connection refused (api.github.com:443)' }],
    [`${START}${UP}${LOST}2026-03-01 11:05:00Z: Runner reconnected.\n`, { state: 'connected' }],
    [
      `${START}Failed to create a session. The runner registration has been deleted from the server, please re-configure.\nRunner listener exited with error code 1\n`,
      { state: 'deleted' },
    ],
    [
      `${START}A session for this runner already exists.\n`,
      { state: 'failing', words: 'A session for this runner already exists' },
    ],
    [
      `${START}An error occurred: Credentials not stored.  Must reconfigure.\n`,
      { state: 'failing', words: 'Credentials not stored.  Must reconfigure.' },
    ],
  ];
  for (const [tail, wanted] of log)
    assert.deepEqual(
      readListenerLog(tail, pid => pid === 417),
      wanted,
      tail,
    );
});

test('an exited listener is not connected, but a deleted registration stays deleted', () => {
  const deleted = `${START}Failed to create a session. The runner registration has been deleted from the server.\n`;
  assert.deepEqual(
    readListenerLog(START + UP, () => false),
    { state: 'connecting' },
  );
  assert.deepEqual(
    readListenerLog(deleted, () => false),
    { state: 'deleted' },
  );
});
