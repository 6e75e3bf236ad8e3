import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { claimName } from './claim-name.ts';

test('a name can be claimed only once while its holder runs', { skip: process.platform !== 'linux' }, async () => {
  const name = randomUUID();
  assert.equal(await claimName(name), true);
  assert.equal(await claimName(name), false);
  assert.equal(await claimName(`${name}-other`), true);
});
