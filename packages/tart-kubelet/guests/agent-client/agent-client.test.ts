import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { AgentClient } from './agent-client.ts';
import { connectAgent } from './agent-client.ts';
import { decodeResponse } from './agent-messages.ts';
import { decode, encode, field, frame } from './grpc-wire.ts';

type Answer = (stream: ServerHttp2Stream) => void;

interface Context {
  after(clean: () => void): void;
}

/** An agent that answers as the test likes, behind a socket whose path is too long for the kernel. */
async function makeAgent(context: Context, answer: Answer): Promise<AgentClient> {
  const directory = mkdtempSync(join(tmpdir(), 'agent-'));
  const deep = join(directory, 'x'.repeat(90));
  mkdirSync(deep);
  const server: Http2Server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => undefined);
    answer(stream);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const relay = createSocketServer(socket => {
    const inner = connect(port, '127.0.0.1');
    pipeline(socket, inner, socket, () => inner.destroy());
  });
  // Bound through a link, and reached by its own path.
  symlinkSync(deep, join(directory, 'd'));
  await new Promise<void>(resolve => relay.listen(join(directory, 'd', 'control.sock'), resolve));
  const client = await connectAgent(join(deep, 'control.sock'), AbortSignal.timeout(5_000));
  context.after(() => {
    client.close();
    relay.close();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return client;
}

const output = (text: string | Buffer): Buffer => frame(encode([field(2, encode([field(1, text)]))]));
const exit = (code: number): Buffer => frame(encode([field(1, encode([field(1, code)]))]));

test('a socket whose path is too long for the kernel is reached, and no link is left behind', async context => {
  const before = readdirSync('/tmp').filter(name => name.startsWith('tk-')).length;
  await makeAgent(context, stream => stream.close());
  assert.equal(readdirSync('/tmp').filter(name => name.startsWith('tk-')).length, before);
});

test('exec output in any chunks is reassembled before the exit code', async context => {
  const client = await makeAgent(context, stream => {
    stream.respond({ ':status': 200 });
    const bytes = Buffer.concat([output('hello '), output('world'), exit(7)]);
    for (const byte of bytes) stream.write(Buffer.from([byte]));
    stream.end();
  });
  const session = client.exec({ argv: ['true'], interactive: false });
  assert.equal(await text(session.stdout), 'hello world');
  assert.equal(await session.exited, 7);
});

test('an exec command that cannot be started exits with 127 and its error message', async context => {
  const client = await makeAgent(context, stream => {
    stream.respond({
      ':status': 200,
      'grpc-status': '2',
      'grpc-message': 'exec: "nope": executable file not found in $PATH',
    });
    stream.end();
  });
  const session = client.exec({ argv: ['nope'], interactive: false });
  assert.match(await text(session.stderr), /executable file not found/);
  assert.equal(await session.exited, 127);
});

test('an exec stream that breaks before the command ends is a connection error', async context => {
  const client = await makeAgent(context, stream => {
    stream.respond({ ':status': 200 });
    stream.write(output('half'));
    stream.close(2);
  });
  const session = client.exec({ argv: ['true'], interactive: false });
  await assert.rejects(session.exited, /GUEST_AGENT_UNREACHABLE/);
});

test('a guest agent that announces a huge message is disconnected', async context => {
  const client = await makeAgent(context, stream => {
    stream.respond({ ':status': 200 });
    stream.write(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
  });
  await assert.rejects(client.exec({ argv: ['true'], interactive: false }).exited, /invalid gRPC message/);
});

test('connecting without a listening guest agent fails with the next action', async () => {
  await assert.rejects(connectAgent('/tmp/no-such-agent.sock', AbortSignal.timeout(1_000)), /tart-guest-agent/);
});

test('negative numbers are decoded: a command killed by a signal has code -1', () => {
  const minusOne = Buffer.from([8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
  assert.deepEqual(decodeResponse(encode([field(1, minusOne)])), { type: 'exit', code: -1 });
});

for (const [what, bytes] of [
  ['ends in a number', [0x08, 0x80]],
  ['ends in a field', [0x0a, 0x05, 1]],
  ['has a number without end', [8, ...Array<number>(12).fill(0xff)]],
] as const) {
  test(`a guest agent message that ${what} is rejected`, () => {
    assert.throws(() => decode(Buffer.from(bytes)), /message/);
  });
}
