import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import { permits } from '../apple-silicon/find-server.ts';
import { serverStatuses } from './server.ts';

test('every status says what it allows', () => {
  assert.deepEqual(Object.keys(permits).sort(), [...serverStatuses].sort());
});

test('what the SDK calls transient lets nobody reinstall, and a rename pass unless the server is locked', () => {
  for (const status of Applesiliconv1alpha1.SERVER_TRANSIENT_STATUSES) {
    const { update, reinstall } = permits[status];
    assert.notEqual(reinstall, 'allowed', status);
    assert.equal(update, /lock/.test(status) ? 'locked' : 'allowed', status);
  }
});
