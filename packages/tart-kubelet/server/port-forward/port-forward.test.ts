import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { WebSocket } from 'ws';
import { speakSpdy } from '../spdy/spdy-connection.ts';
import { type LocalGuest, localGuest } from '../testing/local-guest.ts';
import { type ServerForTests, startServerForTests } from '../testing/server-for-tests.ts';
import { parsePorts } from './websocket-port-forward.ts';

/** All that comes, without touching the writing half. */
async function received(io: Duplex): Promise<string> {
  let all = '';
  io.on('data', (chunk: Buffer) => {
    all += chunk.toString();
  });
  await once(io, 'end');
  return all;
}

describe('forwarded ports', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'minifleet-ports-'));
  const clock = fakeClock({ now: performance.timeOrigin });
  const echo = createServer({ allowHalfOpen: true }, socket => void socket.pipe(socket).on('error', () => undefined));
  const guest: LocalGuest = localGuest({ name: 'pod', folder, address: '127.0.0.1' });
  let tested: ServerForTests;
  let port: number;
  before(async () => {
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    port = (echo.address() as AddressInfo).port;
    tested = await startServerForTests({ guests: [guest], clock });
  });
  after(async () => {
    await tested.server.close();
    echo.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open() {
    const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' };
    const { socket, body } = await tested.upgrade('/portForward/default/pod', headers);
    assert.ok(socket, body);
    return speakSpdy(socket, { role: 'client' });
  }

  test('port-forward streams are paired by their request ID, in any order', async () => {
    const client = await open();
    const stream = async (streamtype: string, requestid: string) =>
      (await client.open({ streamtype, requestid, port: String(port) })).io;
    const [dataB, errorA, dataA, errorB] = [
      await stream('data', 'b'),
      await stream('error', 'a'),
      await stream('data', 'a'),
      await stream('error', 'b'),
    ];
    dataA.end('of a');
    dataB.end('of b');
    assert.deepEqual(await Promise.all([dataA, dataB, errorA, errorB].map(received)), ['of a', 'of b', '', '']);
    client.close();
  });

  test('port-forward streams without request IDs are paired by their stream IDs', async () => {
    const client = await open();
    const error = await client.open({ streamtype: 'error', port: String(port) });
    const data = await client.open({ streamtype: 'data', port: String(port) });
    data.io.end('hello');
    assert.deepEqual(await Promise.all([received(data.io), received(error.io)]), ['hello', '']);
    client.close();
  });

  test('a port-forward stream without its pair is closed', async () => {
    const client = await open();
    const { io } = await client.open({ streamtype: 'error', requestid: '1', port: String(port) });
    await eventually(async () => {
      await clock.advance(seconds(5));
      return io.destroyed;
    });
    const error = await client.open({ streamtype: 'error', requestid: '2', port: String(port) });
    const data = await client.open({ streamtype: 'data', requestid: '2', port: String(port) });
    data.io.end('the connection lives on');
    assert.deepEqual(await Promise.all([received(data.io), received(error.io)]), ['the connection lives on', '']);
    client.close();
  });

  test('an invalid and a closed forwarded port are reported on the error stream', async () => {
    const client = await open();
    const reasonFor = async (asked: string): Promise<string> => {
      const error = await client.open({ streamtype: 'error', requestid: asked, port: asked });
      await client.open({ streamtype: 'data', requestid: asked, port: asked });
      return received(error.io);
    };
    assert.match(await reasonFor('99999'), /invalid port "99999"/);
    assert.match(
      await reasonFor('1'),
      /error forwarding port 1 to pod pod, uid uid-of-pod: .*ECONNREFUSED.*; through the guest: |no process in the guest listens/,
    );
    client.close();
  });

  test('WebSocket port-forward has two channels per port, which start with the port number', async () => {
    const url = `wss://127.0.0.1:${tested.server.port}/portForward/default/pod?port=${port}&port=${port}`;
    const socket = new WebSocket(url, 'v4.channel.k8s.io', { ca: tested.authority.certificate, ...tested.client });
    const messages: Buffer[] = [];
    socket.on('message', data => messages.push(data as Buffer));
    await once(socket, 'open');
    await eventually(() => messages.length === 4);
    assert.deepEqual(
      messages.map(message => [message[0] ?? 0, message.readUInt16LE(1)]).sort(([a = 0], [b = 0]) => a - b),
      [0, 1, 2, 3].map(channel => [channel, port]),
    );
    socket.send(Buffer.from('\u0002to the second'));
    const answer = await eventually(() => messages[4]);
    assert.equal(answer.toString(), '\u0002to the second');
    socket.terminate();
  });

  test('no port-forward connection is left when the clients are gone', async () => {
    await eventually(() => clock.pending === 0);
  });
});

test('port-forward ports are numbers, and at least one is required', () => {
  assert.deepEqual(parsePorts(new URLSearchParams('port=80&port=443,8080')), [80, 443, 8080]);
  for (const query of ['', 'port=0', 'port=x', 'port=65536', `port=${'1,'.repeat(65)}`]) {
    assert.throws(() => parsePorts(new URLSearchParams(query)), { status: 400 }, query);
  }
});
