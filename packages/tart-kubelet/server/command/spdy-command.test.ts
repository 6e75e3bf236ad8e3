import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { type SpdyConnection, speakSpdy } from '../spdy/spdy-connection.ts';
import { type LocalGuest, localGuest } from '../testing/local-guest.ts';
import { type ServerForTests, startServerForTests } from '../testing/server-for-tests.ts';

describe('commands over SPDY', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'minifleet-spdy-'));
  const guest: LocalGuest = localGuest({ name: 'pod', folder });
  const clock = fakeClock({ now: performance.timeOrigin });
  let tested: ServerForTests;
  before(async () => {
    tested = await startServerForTests({ guests: [guest], clock });
  });
  after(async () => {
    await tested.server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(query: string, version: string): Promise<{ client: SpdyConnection; socket: Duplex }> {
    const { socket, body } = await tested.upgrade(`/exec/default/pod/main?${query}`, {
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': version,
    });
    assert.ok(socket, body);
    return { socket, client: speakSpdy(socket, { role: 'client' }) };
  }

  const openStreams = (client: SpdyConnection, types: readonly string[]) =>
    Promise.all(types.map(async streamtype => (await client.open({ streamtype })).io));

  test('SPDY exec starts the command only when all announced streams are open', async () => {
    const { client } = await open(
      'command=sh&command=-c&command=cat;exit%202&input=1&output=1&error=1',
      'v4.channel.k8s.io',
    );
    const [error, stdin, stdout] = await openStreams(client, ['error', 'stdin', 'stdout']);
    stdin?.end('early words');
    await clock.settle();
    assert.equal(guest.commands.size, 0);
    const [stderr] = await openStreams(client, ['stderr']);
    const texts = await Promise.all([stdout, stderr, error].map(stream => text(stream as Duplex)));
    assert.deepEqual(
      [texts[0], texts[1], JSON.parse(texts[2] ?? '').details.causes[0].message],
      ['early words', '', '2'],
    );
    await client.closed;
  });

  test('SPDY exec with a protocol before v4 sends the error as text', async () => {
    for (const version of ['v3.channel.k8s.io', 'channel.k8s.io']) {
      const { client } = await open('command=false&output=1', version);
      const [error] = await openStreams(client, ['error', 'stdout']);
      assert.equal(await text(error as Duplex), 'command terminated with non-zero exit code: exit status 1');
    }
  });

  test('SPDY exec closes a client that does not open its announced streams', async () => {
    const { client } = await open('command=true&output=1&error=1', 'v4.channel.k8s.io');
    await openStreams(client, ['error', 'stdout']);
    await clock.advance(seconds(30));
    await client.closed;
    assert.equal(guest.commands.size, 0);
  });

  test('SPDY exec closes an idle session and ends its command', async () => {
    const { client } = await open('command=sleep&command=1000&output=1', 'v4.channel.k8s.io');
    await openStreams(client, ['error', 'stdout']);
    await eventually(() => guest.commands.size === 1);
    await clock.advance(minutes(2));
    await client.closed;
    await eventually(() => guest.commands.size === 0);
  });

  test('SPDY exec ends the command of a client that resets its socket during output', async () => {
    const { client, socket } = await open('command=yes&output=1', 'v4.channel.k8s.io');
    const [, stdout] = await openStreams(client, ['error', 'stdout']);
    await once(stdout as Duplex, 'data');
    socket.destroy();
    await eventually(() => guest.commands.size === 0);
    assert.equal((await tested.ask('/healthz')).status, 200);
  });

  test('SPDY exec leaves no timer when all sessions are closed', async () => {
    await eventually(() => clock.pending === 0);
  });
});
