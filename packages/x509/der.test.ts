import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as der from './der.ts';

test('DER: an integer with its highest bit set stays positive', () => {
  assert.equal(der.integer(Buffer.from([0x80])).toString('hex'), '02020080');
  assert.equal(der.integer(Buffer.from([0, 0, 0x7f])).toString('hex'), '02017f');
  assert.equal(der.integer(Buffer.from([0])).toString('hex'), '020100');
});

test('DER: content of 128 bytes and more gets a long-form length', () => {
  assert.equal(der.octetString(Buffer.alloc(200)).subarray(0, 3).toString('hex'), '0481c8');
  assert.equal(der.octetString(Buffer.alloc(300)).subarray(0, 4).toString('hex'), '0482012c');
});

test('DER: an object identifier packs its first two numbers and splits large ones', () => {
  assert.equal(der.objectIdentifier('1.2.840.10045.4.3.2').toString('hex'), '06082a8648ce3d040302');
});

test('DER: a date before 2050 is written as UTCTime', () => {
  assert.equal(der.utcTime(new Date('2031-02-03T04:05:06.789Z')).subarray(2).toString(), '310203040506Z');
});
