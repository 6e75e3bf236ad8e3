import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestMac } from '../../testing/test-mac.ts';

test('plutil -extract without -o replaces the whole file; only raw is printed', async () => {
  const { run, journal } = createTestMac();
  const made = 'plutil -convert xml1 -o /tmp/p - <<< \'{"a":{"b":[1,2]},"c":3}\'';
  assert.deepEqual(await run(`${made}; plutil -extract c raw /tmp/p; plutil -extract a json -o - /tmp/p`), {
    code: 0,
    out: '3\n{"b":[1,2]}',
    err: '',
  });
  await run('plutil -extract c raw -o /tmp/c /tmp/p; plutil -extract a xml1 /tmp/p');
  assert.equal((await run('cat /tmp/c; plutil -convert json -o - /tmp/p')).out, '3\n{"b":[1,2]}');
  assert.deepEqual(journal.gaps, []);
});
