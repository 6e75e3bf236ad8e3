import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { shellcheckSays } from '@minifleet/host/testing/shellcheck';

test('shellcheck accepts every script of the host and of the guest', async () => {
  const files = globSync('{guest,host}/*.sh', { cwd: import.meta.dirname }).sort();
  assert.equal(await shellcheckSays(import.meta.dirname, files), '');
});
