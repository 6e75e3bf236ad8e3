import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import { permits } from '../apple-silicon/find-server.ts';
import { serverStatuses } from './server.ts';

test('servers: every status defines the allowed operations', () => {
  assert.deepEqual(Object.keys(permits).sort(), [...serverStatuses].sort());
});

test('servers: transient statuses of the SDK allow no reinstall, and allow a rename unless locked', () => {
  for (const status of Applesiliconv1alpha1.SERVER_TRANSIENT_STATUSES) {
    const { update, reinstall } = permits[status];
    assert.notEqual(reinstall, 'allowed', status);
    assert.equal(update, /lock/.test(status) ? 'locked' : 'allowed', status);
  }
});
