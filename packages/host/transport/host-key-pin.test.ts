import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostKeyPin, sshFingerprint } from './ssh-keys.ts';

const one = sshFingerprint(Buffer.from('one key'));
const other = sshFingerprint(Buffer.from('another key'));
const address = 'm1@203.0.113.7:22';

test('a host key fingerprint has the format of ssh-keygen', () => {
  assert.equal(sshFingerprint(Buffer.from('')), 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU');
});

test('a pin admits only its key, which counts as proven only after the host proved it', () => {
  const pin = createHostKeyPin({ pinned: one }, address);
  assert.deepEqual([pin.admits(one), pin.admits(other)], [true, false]);
  assert.deepEqual([pin.expected, pin.proven], [one, undefined]);
});

test('a first contact admits any key, and after its proof only that one', () => {
  const pin = createHostKeyPin({ firstContact: 'accept' }, address);
  assert.deepEqual([pin.admits(one), pin.admits(other)], [true, true]);
  pin.prove(other);
  pin.prove(one);
  assert.deepEqual([pin.admits(one), pin.admits(other), pin.proven], [false, true, other]);
});

test('a pin may contain surrounding whitespace and padding', () => {
  assert.equal(createHostKeyPin({ pinned: ` ${one}=\n` }, address).expected, one);
});

for (const pinned of ['', 'SHA256:', 'MD5:aa:bb', one.replace('SHA256:', ''), `${one}x`]) {
  test(`an invalid pin is an error before any connection: "${pinned.slice(0, 12)}"`, () => {
    assert.throws(() => createHostKeyPin({ pinned }, address), { code: 'HOST_PIN_UNREADABLE' });
  });
}
