import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import ssh2 from 'ssh2';
import { openSshKey, SEED_BYTES } from './open-ssh-key.ts';

test('ssh-keygen reads the key pair, and the public key verifies a signature', () => {
  for (let round = 0; round < 300; round++) {
    const made = openSshKey(randomBytes(SEED_BYTES), 'tuist-capi-runners');
    const privateKey = ssh2.utils.parseKey(made.privateKey);
    const publicKey = ssh2.utils.parseKey(made.publicKey);
    if (privateKey instanceof Error || publicKey instanceof Error) throw new Error(`not readable: ${made.publicKey}`);
    assert.equal(privateKey.isPrivateKey(), true);
    assert.equal(privateKey.comment, 'tuist-capi-runners');
    assert.equal(publicKey.comment, 'tuist-capi-runners');
    const signed = privateKey.sign('hello');
    assert.ok(Buffer.isBuffer(signed) && publicKey.verify('hello', signed));
  }
});

test('the same seed gives the same key pair, and another seed another one', () => {
  const one = openSshKey(Buffer.alloc(SEED_BYTES, 1), 'a');
  assert.deepEqual(openSshKey(Buffer.alloc(SEED_BYTES, 1), 'a'), one);
  assert.notEqual(openSshKey(Buffer.alloc(SEED_BYTES, 2), 'a').publicKey, one.publicKey);
});
