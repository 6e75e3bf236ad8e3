import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import {
  createCompressor,
  createDecompressor,
  DICTIONARY,
  decodeHeaderBlock,
  encodeHeaderBlock,
} from './header-compression.ts';

test('the SPDY header dictionary equals the one of the specification', () => {
  assert.equal(DICTIONARY.length, 1423);
  // A zlib stream with a preset dictionary carries the dictionary's Adler-32 in bytes 2 to 5.
  assert.equal(deflateSync('', { dictionary: DICTIONARY }).readUInt32BE(2).toString(16), 'e3c6a7c2');
});

test('SPDY header blocks share one compression context', async () => {
  const compressor = createCompressor();
  const decompressor = createDecompressor();
  const blocks = ['error', 'stdout', 'stderr', 'stdin'].map(streamtype =>
    encodeHeaderBlock({ streamtype, port: '8080' }),
  );
  const packed = await Promise.all(blocks.map(block => compressor.convert(block)));
  assert.ok((packed[1]?.length ?? 0) < (packed[0]?.length ?? 0) / 2, packed.map(({ length }) => length).join());
  const unpacked = await Promise.all(packed.map(block => decompressor.convert(block)));
  assert.deepEqual(unpacked, blocks);
  compressor.close();
  decompressor.close();
});

test('a SPDY header block that decompresses to too many bytes is rejected', async () => {
  const compressor = createCompressor();
  const decompressor = createDecompressor();
  const bomb = await compressor
    .convert(Buffer.alloc(8_000_000))
    .catch(() => deflateSync(Buffer.alloc(8_000_000), { dictionary: DICTIONARY }));
  assert.ok(bomb.length < 64 * 1024);
  await assert.rejects(decompressor.convert(bomb), /header compression failed/);
  await assert.rejects(decompressor.convert(Buffer.from('x')), /header compression failed/);
});

test('an invalid SPDY header block is rejected, and so is the next one', async () => {
  const decompressor = createDecompressor();
  await assert.rejects(decompressor.convert(Buffer.from('no zlib at all')));
  await assert.rejects(decompressor.convert(Buffer.from('nor this')));
});

test('SPDY header names are lower case, values are joined by commas, truncated blocks are rejected', () => {
  const block = encodeHeaderBlock({ StreamType: 'error\0other', empty: '' });
  assert.deepEqual(decodeHeaderBlock(block), { streamtype: 'error,other', empty: '' });
  for (let length = 0; length < block.length; length += 1) {
    assert.throws(() => decodeHeaderBlock(block.subarray(0, length)), /truncated/);
  }
});
