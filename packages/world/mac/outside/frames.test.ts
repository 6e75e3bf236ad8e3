import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCall, encodeFrame, frameReader } from './serve-calls.ts';

test('the frame reader returns whole frames however the stream is split', () => {
  const stream = Buffer.concat([encodeFrame('O', 'one'), encodeFrame('R', ''), encodeFrame('X', '0')]);
  for (const size of [1, 2, 7, stream.length]) {
    const read = frameReader();
    const frames = [];
    for (let at = 0; at < stream.length; at += size) frames.push(...read(stream.subarray(at, at + size)));
    assert.deepEqual(
      frames.map(({ kind, content }) => kind + content.toString()),
      ['Oone', 'R', 'X0'],
    );
  }
});

test('a program call preserves arguments, directory and variables with any content', () => {
  const content = Buffer.from(['3', 'sh', '-c', 'a=b\nc', '/here', 'A=1=2', 'EMPTY='].join('\0'));
  assert.deepEqual(decodeCall(content), {
    argv: ['sh', '-c', 'a=b\nc'],
    directory: '/here',
    environment: { A: '1=2', EMPTY: '' },
  });
});
