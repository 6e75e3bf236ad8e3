import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { readCredentials } from './read-credentials.ts';
import { appPem, secretFields } from './testing/github-bench.ts';

const place = 'Secret builders/github-app';
const read = (said: Readonly<Record<string, string>>) => readCredentials({ place, fields: secretFields(said) });
const without = (...names: readonly string[]) =>
  Object.fromEntries(Object.entries(secretFields()).filter(([name]) => !names.includes(name)));

const pkcs8 = appPem('pkcs8');
const forms: Readonly<Record<string, string>> = {
  'PKCS#1': appPem('pkcs1'),
  'PKCS#8': pkcs8,
  'with blank lines around it': `\n\n ${appPem('pkcs1')}\n\n`,
  indented: appPem('pkcs1').replaceAll(/^/gm, '    '),
  'with CRLF': pkcs8.replaceAll('\n', '\r\n'),
  'with \\n in letters': pkcs8.replaceAll('\n', '\\n'),
};

for (const [form, pem] of Object.entries(forms)) {
  test(`a GitHub App private key is read ${form}`, () => {
    const { privateKey } = read({ 'private-key': pem });
    assert.ok(createPrivateKey(privateKey.reveal()).equals(createPrivateKey(pkcs8)));
  });
}

test('App and installation ids may end with a newline', () => {
  const { appId, installationId } = read({ 'app-id': ' 42\n', 'installation-id': '4242\r\n' });
  assert.deepEqual([appId, installationId], ['42', 4_242]);
});

test('a client id is accepted in place of an App id', () => {
  assert.equal(read({ 'app-id': 'Iv23liABCDEFGHIJKLMN' }).appId, 'Iv23liABCDEFGHIJKLMN');
});

test('all missing and empty credential fields are reported together', () => {
  const fields = { ...without('app-id', 'private-key'), 'installation-id': Buffer.from(' \n') };
  assert.throws(() => readCredentials({ place, fields }), {
    code: 'FORGE_CREDENTIALS_INCOMPLETE',
    message: /^Secret builders\/github-app has no app-id, installation-id, private-key;/,
  });
  assert.throws(() => readCredentials({ place, fields: without('installation-id') }), {
    message: /has no installation-id;/,
  });
});

test('all invalid credential fields are reported together, without values', () => {
  const said = { 'app-id': 'my-app', 'installation-id': 'https://github.com/x', 'private-key': 'hunter2-is-no-key' };
  assert.throws(
    () => read(said),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, 'FORGE_CREDENTIALS_WRONG');
      for (const name of Object.keys(said)) assert.match(error.message, new RegExp(name));
      for (const value of Object.values(said)) assert.ok(!inspect(error, { depth: 10 }).includes(value));
      return true;
    },
  );
});

test('a truncated key, a public key and a non-RSA key are rejected', () => {
  const pair = generateKeyPairSync('ed25519');
  const wrong = [
    appPem('pkcs1').slice(0, 600),
    pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  ];
  for (const pem of wrong) {
    assert.throws(() => read({ 'private-key': pem }), {
      code: 'FORGE_CREDENTIALS_WRONG',
      message: /private-key is not an RSA key in PEM/,
    });
  }
});

test('printed credentials never contain the key', () => {
  const credentials = read({});
  assert.doesNotMatch(`${inspect(credentials, { depth: 10 })}${JSON.stringify(credentials)}`, /BEGIN|MII/);
});
