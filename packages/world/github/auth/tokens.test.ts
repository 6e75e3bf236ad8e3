import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleGithub } from '../testing/example-github.ts';

test('auth: expireAll invalidates every minted token; tokens minted afterwards are valid', async t => {
  const { accounts, tokens } = (await exampleGithub(t)).github.state;
  const scope = accounts.findScope('acme');
  assert.ok(scope);
  const old = tokens.mint({ kind: 'registration', scope });
  assert.ok(tokens.find('registration', old.token));
  tokens.expireAll();
  assert.equal(tokens.find('registration', old.token), undefined);
  assert.ok(tokens.find('registration', tokens.mint({ kind: 'registration', scope }).token));
});
