import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { readBytes } from './rfb.ts';

test('readBytes returns exactly the requested bytes and leaves the rest', async () => {
  const stream = new PassThrough();
  const first = readBytes(stream, 4);
  for (const piece of ['R', 'F', 'B 003', '.008\nmore']) stream.write(piece);
  assert.equal((await first).toString(), 'RFB ');
  assert.equal((await readBytes(stream, 8)).toString(), '003.008\n');
  stream.end(' of it');
  assert.equal(await text(stream.pipe(new PassThrough())), 'more of it');
});

test('readBytes rejects if the stream ends early, fails or is destroyed', async () => {
  const ended = new PassThrough();
  ended.end('ab');
  await assert.rejects(readBytes(ended, 4), /the connection ended/);
  const givenUp = new PassThrough();
  const waiting = readBytes(givenUp, 1);
  givenUp.destroy();
  await assert.rejects(waiting, /the connection ended/);
  const failed = new PassThrough();
  const failing = readBytes(failed, 1);
  failed.destroy(new Error('no more line'));
  await assert.rejects(failing, /no more line/);
  await assert.rejects(readBytes(failed, 1), /no more line/);
});
