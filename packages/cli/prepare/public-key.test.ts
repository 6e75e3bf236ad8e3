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
  ['RSA in OpenSSH’s format', 'rsa', []],
  ['RSA as PEM', 'rsa', ['-m', 'PEM']],
  ['RSA as PKCS#8', 'rsa', ['-m', 'PKCS8']],
  ['ECDSA as PEM', 'ecdsa', ['-m', 'PEM']],
] as const;

for (const [name, type, format] of KEYS) {
  test(`the public half of ${name} is what ssh-keygen wrote`, () => {
    const file = join(folder, name.replaceAll(/\W/g, ''));
    execFileSync('ssh-keygen', ['-q', '-t', type, ...format, '-N', '', '-f', file]);
    const [kind, blob] = readFileSync(`${file}.pub`, 'utf8').split(' ');
    assert.equal(publicKeyOf(readFileSync(file)), `${kind} ${blob}`);
  });
}

test('the public half of a key with a passphrase is shown without asking for it', () => {
  const file = join(folder, 'locked');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'a passphrase', '-f', file]);
  assert.equal(publicKeyOf(readFileSync(file)), readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' '));
});

test('a text that is no key is refused', () => {
  assert.throws(() => publicKeyOf(Buffer.from('no key')));
  assert.throws(() => publicKeyOf(Buffer.from('-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n')), /not an OpenSSH/);
});
