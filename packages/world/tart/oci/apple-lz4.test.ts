import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeAppleLz4, encodeAppleLz4 } from './apple-lz4.ts';

test('stored LZ4 blocks are read back unchanged', () => {
  const data = Buffer.from('some bytes');
  assert.deepEqual(decodeAppleLz4(encodeAppleLz4(data)), data);
});

test('a compressed LZ4 block with literals and an overlapping copy is decoded', () => {
  // Token 0x15: one literal, a match of 5 + 4; distance 1. Then five literals, as every LZ4 block ends.
  const block = Buffer.from([0x15, 0x61, 0x01, 0x00, 0x50, 0x62, 0x63, 0x64, 0x65, 0x66]);
  const header = Buffer.alloc(12);
  header.write('bv41', 'latin1');
  header.writeUInt32LE(15, 4);
  header.writeUInt32LE(block.length, 8);
  assert.equal(decodeAppleLz4(Buffer.concat([header, block, Buffer.from('bv4$')])).toString(), 'aaaaaaaaaabcdef');
});
