import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { publicKeyOf } from './public-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'minifleet-keys-'));
after(() => rmSync(folder, { recursive: true }));

const KEYS = [
  ['ed25519 in OpenSSH’s format', 'ed25519', []],
  ['RSA in OpenSSH’s format', 'rsa', ['-b', '2048']],
  ['RSA as PEM', 'rsa', ['-b', '2048', '-m', 'PEM']],
  ['RSA as PKCS#8', 'rsa', ['-b', '2048', '-m', 'PKCS8']],
  ['ECDSA as PEM', 'ecdsa', ['-m', 'PEM']],
] as const;

for (const [name, type, format] of KEYS) {
  test(`the public key of ${name} matches the output of ssh-keygen`, () => {
    const file = join(folder, name.replaceAll(/\W/g, ''));
    execFileSync('ssh-keygen', ['-q', '-t', type, ...format, '-N', '', '-f', file]);
    const [kind, blob] = readFileSync(`${file}.pub`, 'utf8').split(' ');
    assert.equal(publicKeyOf(readFileSync(file)), `${kind} ${blob}`);
  });
}

test('the public key of an encrypted key is read without its passphrase', () => {
  const file = join(folder, 'locked');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'a passphrase', '-f', file]);
  assert.equal(publicKeyOf(readFileSync(file)), readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' '));
});

test('publicKeyOf refuses a text that is not a key', () => {
  assert.throws(() => publicKeyOf(Buffer.from('no key')));
  assert.throws(() => publicKeyOf(Buffer.from('-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n')), /not an OpenSSH/);
});
