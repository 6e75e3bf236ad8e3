import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostKeyPin, sshFingerprint } from './ssh-keys.ts';

const one = sshFingerprint(Buffer.from('one key'));
const other = sshFingerprint(Buffer.from('another key'));
const address = 'm1@203.0.113.7:22';

test('a fingerprint is written as ssh-keygen writes it', () => {
  assert.equal(sshFingerprint(Buffer.from('')), 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU');
});

test('a pinned key admits itself only, and is not known to be shown before the host proved it', () => {
  const pin = createHostKeyPin({ pinned: one }, address);
  assert.deepEqual([pin.admits(one), pin.admits(other)], [true, false]);
  assert.deepEqual([pin.expected, pin.proven], [one, undefined]);
});

test('a first contact admits any key, and from its proof on only that one', () => {
  const pin = createHostKeyPin({ firstContact: 'accept' }, address);
  assert.deepEqual([pin.admits(one), pin.admits(other)], [true, true]);
  pin.prove(other);
  pin.prove(one);
  assert.deepEqual([pin.admits(one), pin.admits(other), pin.proven], [false, true, other]);
});

test('a pin may carry what people copy along', () => {
  assert.equal(createHostKeyPin({ pinned: ` ${one}=\n` }, address).expected, one);
});

for (const pinned of ['', 'SHA256:', 'MD5:aa:bb', one.replace('SHA256:', ''), `${one}x`]) {
  test(`a pin that is no fingerprint is named before any dial: "${pinned.slice(0, 12)}"`, () => {
    assert.throws(() => createHostKeyPin({ pinned }, address), { code: 'HOST_PIN_UNREADABLE' });
  });
}
