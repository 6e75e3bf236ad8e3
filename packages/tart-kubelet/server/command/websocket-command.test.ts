import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { WebSocket } from 'ws';
import { type LocalGuest, localGuest } from '../testing/local-guest.ts';
import { type ServerForTests, startServerForTests } from '../testing/server-for-tests.ts';

describe('commands over WebSocket channels', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'minifleet-command-'));
  const guest: LocalGuest = localGuest({ name: 'pod', folder });
  let tested: ServerForTests;
  before(async () => {
    tested = await startServerForTests({ guests: [guest] });
  });
  after(async () => {
    await tested.server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Session {
    readonly socket: WebSocket;
    readonly messages: Buffer[];
    /** Everything on a channel so far. */
    readonly on: (channel: number) => string;
  }

  async function open(protocol: string | undefined, argv: readonly string[], streams: string): Promise<Session> {
    const command = argv.map(word => `command=${encodeURIComponent(word)}`).join('&');
    const url = `wss://127.0.0.1:${tested.server.port}/exec/default/pod/main?${command}&${streams}`;
    const options = { ca: tested.authority.certificate, ...tested.client };
    const socket = protocol === undefined ? new WebSocket(url, options) : new WebSocket(url, protocol, options);
    const messages: Buffer[] = [];
    socket.on('message', data => messages.push(data as Buffer));
    await once(socket, 'open');
    const on = (channel: number): string =>
      Buffer.concat(messages.filter(message => message[0] === channel).map(message => message.subarray(1))).toString();
    return { socket, messages, on };
  }

  test('WebSocket exec v4 sends the outputs on their channels and the result as a Status', async () => {
    const { socket, messages, on } = await open(
      'v4.channel.k8s.io',
      ['sh', '-c', 'echo out; echo err >&2; exit 7'],
      'output=1&error=1',
    );
    const [code] = await once(socket, 'close');
    assert.equal(code, 1_000);
    assert.deepEqual([...(messages[0] ?? [])], [1], 'an empty message shows that the session is open');
    assert.deepEqual([on(1), on(2)], ['out\n', 'err\n']);
    assert.deepEqual(JSON.parse(on(3)), {
      metadata: {},
      status: 'Failure',
      message: 'command terminated with non-zero exit code: exit status 7',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '7' }] },
    });
  });

  test('WebSocket exec v5 ends stdin when its channel is closed', async () => {
    const { socket, on } = await open('v5.channel.k8s.io', ['cat'], 'input=1&output=1');
    socket.send(Buffer.concat([Buffer.from([0]), Buffer.from('to be read')]));
    socket.send(Buffer.from([255, 0]));
    await once(socket, 'close');
    assert.equal(on(1), 'to be read');
    assert.deepEqual(JSON.parse(on(3)), { metadata: {}, status: 'Success' });
  });

  test('WebSocket exec v1, or without a protocol, sends the error as text', async () => {
    for (const protocol of ['channel.k8s.io', undefined]) {
      const { socket, on } = await open(protocol, ['sh', '-c', 'exit 3'], 'output=1');
      await once(socket, 'close');
      assert.equal(on(3), 'command terminated with non-zero exit code: exit status 3');
    }
  });

  test('WebSocket exec with base64 uses a digit as channel and sends text only', async () => {
    const { socket, messages } = await open(
      'v4.base64.channel.k8s.io',
      ['sh', '-c', 'head -c 5; exit 0'],
      'input=1&output=1',
    );
    socket.send(`0${Buffer.from('hello').toString('base64')}`);
    await once(socket, 'close');
    const texts = messages.map(message => message.toString());
    const output = texts
      .filter(text => text.startsWith('1'))
      .map(text => Buffer.from(text.slice(1), 'base64').toString());
    assert.equal(output.join(''), 'hello');
    assert.equal(JSON.parse(Buffer.from(texts.at(-1)?.slice(1) ?? '', 'base64').toString()).status, 'Success');
  });

  test('WebSocket exec rejects an unknown protocol', async () => {
    await assert.rejects(open('v9.channel.k8s.io', ['true'], 'output=1'), /Unexpected server response: 400/);
  });

  test('WebSocket exec ends the command of a client that disconnects', async () => {
    const { socket } = await open('v5.channel.k8s.io', ['sleep', '1000'], 'output=1');
    await eventually(() => guest.commands.size === 1);
    socket.terminate();
    await eventually(() => guest.commands.size === 0);
  });
});
