import assert from 'node:assert/strict';
import { test } from 'node:test';
import { m1 } from '../mac.ts';
import { smallMac } from '../testing/small-mac.ts';
import { keychainPart, storePassword } from './security.ts';

const ADD = ['security', 'add-generic-password', '-s', 'ghcr.io', '-a', 'robot', '-w', 'secret'];
const FIND = ['security', 'find-generic-password', '-s', 'ghcr.io', '-w'];

test('I25 neither an SSH session nor a LaunchAgent can write to the locked keychain', async () => {
  const { mac, run, close } = smallMac([keychainPart]);
  for (const session of ['ssh', 'aqua', 'launchd'] as const) {
    const added = await run(ADD, { user: m1, session });
    assert.equal(added.code, 36);
    assert.match(added.err, /User interaction is not allowed\.$/m);
    const item = { kind: 'internet', where: 'ghcr.io', account: 'robot', password: 'secret' } as const;
    assert.equal(storePassword(mac, { session, user: m1 }, item), 'interaction not allowed');
  }
  close();
});

test('an unlocked keychain stores secrets', async () => {
  const { run, close } = smallMac([keychainPart]);
  assert.equal((await run(FIND, { user: m1 })).code, 44);
  assert.equal((await run(['security', 'unlock-keychain', '-p', 'wrong'], { user: m1 })).code, 51);
  assert.equal((await run(['security', 'unlock-keychain', '-p', 'hello'], { user: m1 })).code, 0);
  assert.equal((await run(ADD, { user: m1 })).code, 0);
  assert.equal((await run(ADD, { user: m1 })).code, 45);
  assert.equal((await run(FIND, { user: m1 })).out, 'secret\n');
  await run(['security', 'lock-keychain'], { user: m1 });
  assert.equal((await run(FIND, { user: m1 })).code, 36);
  close();
});
