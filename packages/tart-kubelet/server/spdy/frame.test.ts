import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFrameReader, encodeControl, encodeDataHeader, encodeNumbers, FRAME, type SpdyFrame } from './frame.ts';

const data = (stream: number, text: string, fin = false): Buffer =>
  Buffer.concat([encodeDataHeader(stream, text.length, fin), Buffer.from(text)]);

/** Received data by stream, independent of chunk boundaries. */
function summary(frames: readonly SpdyFrame[]): string[] {
  const lines: string[] = [];
  const texts = new Map<number, string>();
  for (const frame of frames) {
    if (frame.kind === 'control') lines.push(`control ${frame.type} ${frame.flags} ${frame.payload.toString('hex')}`);
    else {
      texts.set(frame.stream, (texts.get(frame.stream) ?? '') + frame.payload.toString());
      if (frame.fin) lines.push(`end of ${frame.stream}: ${texts.get(frame.stream)}`);
    }
  }
  return lines;
}

test('SPDY frames are parsed from chunks of any size', () => {
  const bytes = Buffer.concat([
    data(1, 'hello '),
    encodeControl(FRAME.ping, encodeNumbers(7)),
    data(3, 'other', true),
    data(1, 'world'),
    data(1, '', true),
    encodeControl(FRAME.goAway, encodeNumbers(3, 0), 1),
  ]);
  const expected = ['control 6 0 00000007', 'end of 3: other', 'end of 1: hello world', 'control 7 1 0000000300000000'];
  for (let size = 1; size <= bytes.length; size += 1) {
    const read = createFrameReader();
    const frames: SpdyFrame[] = [];
    for (let at = 0; at < bytes.length; at += size) frames.push(...read(bytes.subarray(at, at + size)));
    assert.deepEqual(summary(frames), expected, `in pieces of ${size}`);
  }
});

test('a long SPDY data frame is passed on in pieces and not buffered', () => {
  const read = createFrameReader();
  assert.deepEqual([...read(encodeDataHeader(1, 16_000_000, true))], []);
  const pieces = [...read(Buffer.alloc(1_000))];
  assert.deepEqual(
    pieces.map(piece => [piece.payload.length, piece.kind === 'data' && piece.fin]),
    [[1_000, false]],
  );
});

test('a SPDY control frame that is too long is rejected by its header', () => {
  const head = encodeControl(FRAME.synStream, Buffer.alloc(0));
  head.writeUIntBE(0xffffff, 5, 3);
  assert.throws(() => [...createFrameReader()(head)], /control frame of 16777215 bytes is too long/);
});
