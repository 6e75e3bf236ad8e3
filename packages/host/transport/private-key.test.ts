import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { testKey } from '../testing/contract/test-key.ts';
import { usablePrivateKey } from './ssh-keys.ts';
import { openSshTransport } from './ssh-transport.ts';

/** A key as ssh-keygen writes it. */
function keygen(...flags: readonly string[]): { readonly private: Buffer; readonly public: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-key-'));
  try {
    execFileSync('ssh-keygen', ['-q', '-f', join(folder, 'key'), ...flags]);
    return { private: readFileSync(join(folder, 'key')), public: readFileSync(join(folder, 'key.pub')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const secret = (value: string | Buffer): Secret => new Secret('the fleet’s key', value);

test('private keys in OpenSSH and PEM format are accepted', () => {
  for (const key of [
    keygen('-t', 'ed25519', '-N', '').private,
    keygen('-t', 'ecdsa', '-N', '').private,
    keygen('-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', '').private,
    Buffer.from(testKey().private),
  ]) {
    assert.equal(usablePrivateKey(secret(key)).length, key.length);
  }
});

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const damaged = keygen('-t', 'ed25519', '-N', '').private.toString().split('\n');

const unusable: Readonly<Record<string, readonly [value: string | Buffer, why: RegExp]>> = {
  'an empty text': ['', /it is empty/],
  'a public key': [keygen('-t', 'ed25519', '-N', '').public, /it is a public key/],
  'an encrypted key': [keygen('-t', 'ed25519', '-N', 'open sesame').private, /encrypted with a passphrase/],
  'an encrypted PEM key': [
    keygen('-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', 'open sesame').private,
    /encrypted with a passphrase/,
  ],
  'a PKCS#8 key': [privateKey.export({ type: 'pkcs8', format: 'pem' }), /in PKCS#8 format/],
  'an encrypted PKCS#8 key': [
    privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open sesame' }),
    /encrypted with a passphrase/,
  ],
  'a certificate': ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n', /its format is unknown/],
  'a password': ['correct horse battery staple', /its format is unknown/],
  'a key cut short': [damaged.toSpliced(2, damaged.length - 4).join('\n'), /it is damaged|its format is unknown/],
};

for (const [what, [value, why]] of Object.entries(unusable)) {
  test(`${what} as private key is rejected before any connection and not shown`, () => {
    const open = () =>
      openSshTransport({
        address: '203.0.113.7',
        user: 'm1',
        privateKey: secret(value),
        hostKey: { firstContact: 'accept' },
        clock: systemClock,
      });
    assert.throws(open, (error: Error & { code?: string }) => {
      assert.equal(error.code, 'HOST_PRIVATE_KEY_UNUSABLE');
      assert.match(error.message, why);
      assert.match(error.message, /^the fleet’s key: .*OpenSSH or PEM/);
      const words = value.toString().trim();
      if (words !== '') assert.ok(!error.message.includes(words.slice(0, 30)));
      return true;
    });
  });
}
