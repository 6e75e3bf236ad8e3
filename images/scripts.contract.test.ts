import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { shellcheckSays } from '../packages/host/testing/shellcheck.ts';

test('shellcheck has nothing to say about any script, of the host or of the guest', async () => {
  const files = globSync('{guest,host}/*.sh', { cwd: import.meta.dirname }).sort();
  assert.equal(await shellcheckSays(import.meta.dirname, files), '');
});
