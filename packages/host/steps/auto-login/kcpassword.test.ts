import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePassword, encodePassword, isSealed } from './password.ts';

const vectors: Readonly<Record<string, string>> = {
  hello: '15ec3e4fbdbcddeaa3b91f',
  correcthors: '1ee62051b7dfa982cccb6c7d895223d2bcddeaa3b91f',
  '<sealed>': '41fa3742bed9b9d4a3b91f',
  '': '7d895223d2bcddeaa3b91f',
};

test('kcpassword is encoded and decoded in the format of macOS', () => {
  for (const [plain, hex] of Object.entries(vectors)) {
    assert.equal(encodePassword(plain).toString('hex'), hex);
    assert.equal(decodePassword(Buffer.from(hex, 'hex')), plain);
  }
});

test('kcpassword padding is at least one byte and counts bytes, not characters', () => {
  for (let length = 0; length < 40; length++) {
    const encoded = encodePassword('x'.repeat(length));
    assert.equal(encoded.length % 11, 0);
    assert.ok(encoded.length > length && encoded.length <= length + 11);
  }
  assert.equal(decodePassword(encodePassword('pässwörd 🔑')), 'pässwörd 🔑');
});

test('I06 a sealed kcpassword is detected by its first eight bytes', () => {
  assert.equal(isSealed(encodePassword('<sealed>')), true);
  assert.equal(isSealed(Buffer.from('41fa3742bed9b9d4', 'hex')), true);
  assert.equal(isSealed(encodePassword('<sealed> or not')), true);
  for (const open of ['', 'hello', 'sealed', '<sealed']) assert.equal(isSealed(encodePassword(open)), false);
  assert.equal(isSealed(Buffer.alloc(0)), false);
});
