import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { shellcheckSays } from '../testing/shellcheck.ts';

test('shellcheck reports nothing for all scripts', async () => {
  const files = globSync('*.sh', { cwd: import.meta.dirname }).sort();
  assert.equal(await shellcheckSays(import.meta.dirname, files), '');
});
