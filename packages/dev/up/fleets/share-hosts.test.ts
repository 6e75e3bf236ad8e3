import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareHosts } from './share-hosts.ts';

test('nine Macs are split 3-4-2 between macos, runners and builders, and three Macs 1-1-1', () => {
  assert.deepEqual(shareHosts(9), { macos: 3, runners: 4, builders: 2 });
  assert.deepEqual(shareHosts(3), { macos: 1, runners: 1, builders: 1 });
});

test('every Mac gets a fleet, and no fleet is empty', () => {
  for (let hosts = 3; hosts <= 50; hosts++) {
    const shares = Object.values(shareHosts(hosts));
    assert.equal(
      shares.reduce((sum, share) => sum + share),
      hosts,
    );
    assert.ok(Math.min(...shares) >= 1);
  }
});
