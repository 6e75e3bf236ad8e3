import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { execute } from '../shell/execute.ts';
import { createTestMac } from '../testing/test-mac.ts';
import { fileVaultOf, fileVaultPart } from './file-vault.ts';

test('fdesetup status reports the state of FileVault without root', async () => {
  const { mac } = createTestMac({ parts: [fileVaultPart] });
  assert.equal((await execute(mac, 'fdesetup status')).out, 'FileVault is Off.\n');
  fileVaultOf(mac).state = 'encrypting';
  assert.match((await execute(mac, 'fdesetup status')).out, /^FileVault is On\.\nEncryption in progress: /);
});

test('a Mac with FileVault stays down after a reboot until a person unlocks it', async () => {
  const { mac, clock } = createTestMac({ parts: [fileVaultPart] });
  fileVaultOf(mac).state = 'on';
  await mac.reboot();
  await clock.advance(minutes(10));
  assert.equal(mac.running, false);
  mac.boot();
  assert.equal(mac.running, true);
});
