import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { createFrameReader, encodeControl, encodeNumbers, FRAME, type SpdyFrame } from './frame.ts';
import { createCompressor, createDecompressor, encodeHeaderBlock } from './header-compression.ts';

import { type SpdyConnection, type SpdyOptions, speakSpdy } from './spdy-connection.ts';
import type { SpdyStream } from './spdy-stream.ts';

function pair(options: Partial<SpdyOptions> = {}): {
  client: SpdyConnection;
  server: SpdyConnection;
  streams: SpdyStream[];
} {
  const [near, far] = duplexPair();
  const streams: SpdyStream[] = [];
  const client = speakSpdy(near, { role: 'client' });
  const server = speakSpdy(far, { role: 'server', onStream: stream => streams.push(stream), ...options });
  return { client, server, streams };
}

/** A peer of bare frames, to say what no honest peer says. */
function bare(): { socket: Duplex; server: SpdyConnection; frames: SpdyFrame[]; streams: SpdyStream[] } {
  const [near, far] = duplexPair();
  const [frames, streams, read]: [SpdyFrame[], SpdyStream[], ReturnType<typeof createFrameReader>] = [
    [],
    [],
    createFrameReader(),
  ];
  near.on('data', (chunk: Buffer) => frames.push(...read(chunk)));
  near.on('error', () => undefined);
  return {
    socket: near,
    frames,
    streams,
    server: speakSpdy(far, { role: 'server', onStream: stream => streams.push(stream) }),
  };
}

/** All that comes, without touching the writing half (a loop over the stream would destroy both). */
async function text(io: Duplex): Promise<string> {
  let all = '';
  io.on('data', (chunk: Buffer) => {
    all += chunk.toString();
  });
  await once(io, 'end');
  return all;
}

const synStream = (id: number, block: Buffer): Buffer =>
  encodeControl(FRAME.synStream, Buffer.concat([encodeNumbers(id, 0), Buffer.from([0, 0]), block]));

test('SPDY streams carry headers and bytes both ways and close each half separately', async () => {
  const { client, streams } = pair();
  const opened = await client.open({ streamtype: 'stdin' });
  const stream = await eventually(() => streams[0]);
  assert.deepEqual([stream.id, stream.headers], [1, { streamtype: 'stdin' }]);
  opened.io.end('to the server');
  assert.equal(await text(stream.io), 'to the server');
  // The client has ended its half; the server's is still open.
  stream.io.end('and back');
  assert.equal(await text(opened.io), 'and back');
  client.close();
});

test('concurrent SPDY streams keep megabytes of data apart', async () => {
  const { client, streams } = pair({ onStream: stream => void stream.io.pipe(stream.io) });
  assert.equal(streams.length, 0);
  const sizes = [0, 1, 65_536, 65_537, 3_000_000];
  await Promise.all(
    sizes.map(async (size, index) => {
      const stream = await client.open({ n: String(index) });
      const sent = Buffer.alloc(size, index + 1);
      stream.io.end(sent);
      assert.ok((await buffer(stream.io)).equals(sent), `${size} bytes`);
    }),
  );
  client.close();
});

test('a SPDY reader that pauses applies back-pressure to the writer', async () => {
  const { client, streams } = pair();
  const opened = await client.open({});
  const stream = await eventually(() => streams[0]);
  const chunk = Buffer.alloc(64 * 1024);
  let sent = 0;
  while (opened.io.write(chunk) || (await Promise.race([once(opened.io, 'drain').then(() => true), settled()])))
    sent += chunk.length;
  assert.ok(stream.io.readableLength <= 5 * 1024 * 1024, String(stream.io.readableLength));
  assert.ok(sent < 8 * 1024 * 1024);
  stream.io.resume();
  await once(opened.io, 'drain');
  client.close();
});

/** Nothing moves in memory without a turn of the loop: after many, nothing will. */
async function settled(): Promise<boolean> {
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  return false;
}

test('a SPDY reset ends only its own stream', async () => {
  const { client, streams } = pair();
  const [first, second] = [await client.open({ n: '1' }), await client.open({ n: '2' })];
  await eventually(() => streams.length === 2);
  first.io.destroy();
  await eventually(() => streams[0]?.io.destroyed);
  second.io.end('still here');
  assert.equal(await text(streams[1]?.io as Duplex), 'still here');
  client.close();
});

test('a SPDY ping of the peer is echoed, a reply to an own ping is not', async () => {
  const { socket, frames } = bare();
  socket.write(encodeControl(FRAME.ping, encodeNumbers(2)));
  socket.write(encodeControl(FRAME.ping, encodeNumbers(5)));
  await eventually(() => frames.length > 0);
  assert.deepEqual(
    frames.map(frame => frame.kind === 'control' && [frame.type, frame.payload.readUInt32BE(0)]),
    [[FRAME.ping, 5]],
  );
  socket.destroy();
});

test('data on a SPDY connection counts as activity', async () => {
  let activity = 0;
  const { client, streams } = pair({
    onActivity: () => {
      activity += 1;
    },
    onStream: stream => streams.push(stream),
  });
  const stream = await client.open({});
  stream.io.write('x');
  await eventually(() => activity === 2);
  client.close();
});

test('a SPDY connection closes after all written data was sent', async () => {
  const { client, server, streams } = pair();
  const opened = await client.open({});
  const stream = await eventually(() => streams[0]);
  stream.io.end(Buffer.alloc(1_000_000, 'a'));
  await once(stream.io, 'finish');
  server.close();
  assert.equal((await buffer(opened.io)).length, 1_000_000);
  await client.closed;
  await server.closed;
});

test('a lost socket closes every SPDY stream', async () => {
  const { socket, server, streams } = bare();
  socket.write(synStream(1, await createCompressor().convert(encodeHeaderBlock({ streamtype: 'stdout' }))));
  const stream = await eventually(() => streams[0]);
  socket.destroy();
  await server.closed;
  assert.ok(stream.io.destroyed);
});

test('a SPDY reply is an empty header block in the connection’s compression context', async () => {
  const { socket, frames, streams } = bare();
  const [compressor, decompressor] = [createCompressor(), createDecompressor()];
  for (const id of [1, 3]) socket.write(synStream(id, await compressor.convert(encodeHeaderBlock({ id: String(id) }))));
  await eventually(() => streams.length === 2 && frames.length === 2);
  for (const [index, frame] of frames.entries()) {
    assert.ok(frame.kind === 'control' && frame.type === FRAME.synReply);
    assert.equal(frame.payload.readUInt32BE(0), 2 * index + 1);
    assert.deepEqual(await decompressor.convert(frame.payload.subarray(4)), encodeHeaderBlock({}));
  }
  socket.destroy();
});

for (const [what, bytes] of Object.entries({
  'a SPDY stream with a server’s ID': async () => synStream(2, await createCompressor().convert(encodeHeaderBlock({}))),
  'a SPDY header block without zlib': async () => synStream(1, Buffer.from('garbage')),
  'a truncated SPDY frame': async () => encodeControl(FRAME.rstStream, Buffer.from([1])),
})) {
  test(`${what} closes its SPDY connection`, async () => {
    const { socket, server } = bare();
    socket.write(await bytes());
    await server.closed;
  });
}

test('data for an unknown SPDY stream is ignored', async () => {
  const { socket, frames, server } = bare();
  socket.write(Buffer.from([0, 0, 0, 9, 0, 0, 0, 1, 65]));
  socket.write(encodeControl(FRAME.goAway, encodeNumbers(0, 0)));
  socket.write(encodeControl(FRAME.windowUpdate, encodeNumbers(1, 1)));
  socket.write(encodeControl(FRAME.ping, encodeNumbers(1)));
  await eventually(() => frames.length === 1);
  socket.end();
  await server.closed;
});
