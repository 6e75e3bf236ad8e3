import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import type { TestContext } from 'node:test';
import { milliseconds, seconds, systemClock } from '@minifleet/clock';
import { startStallableProxy } from '@minifleet/kube/testing';
import { Secret } from '@minifleet/secret';

import type { SshTransportOptions } from '../../transport/ssh-transport.ts';
import type { CommandOutcome, HostTransport } from '../../transport/transport.ts';
import { untilReachable } from '../../transport/until-reachable.ts';
import type { Bench } from './contract-host.ts';
import { ran } from './ran.ts';
import { test } from './test.ts';
import { testKey } from './test-key.ts';

/** The first connection, and everything that can prevent it. */
export function connectionContract(bench: Bench): void {
  const opened = (t: TestContext, options: Partial<SshTransportOptions> = {}): HostTransport => {
    const transport = network(bench).open(options);
    t.after(() => transport.close());
    return transport;
  };

  test('the first command connects, and the host key is known afterwards', async t => {
    const transport = opened(t);
    assert.deepEqual([transport.hostKey, transport.roundTrips], [undefined, 0]);
    await ran(transport, ['/bin/echo']);
    assert.match(transport.hostKey ?? '', /^SHA256:[\w+/]{43}$/);
    assert.equal(transport.roundTrips, 1);
  });

  test('the pinned key is accepted', async t => {
    await ran(bench().transport, ['/bin/echo']);
    const pinned = bench().transport.hostKey ?? '';
    await ran(opened(t, { hostKey: { pinned } }), ['/bin/echo']);
  });

  test('a host key other than the pinned one is rejected with both fingerprints', async t => {
    await ran(bench().transport, ['/bin/echo']);
    const pinned = `SHA256:${randomBytes(32).toString('base64').slice(0, 43)}`;
    const outcome = await opened(t, { hostKey: { pinned } }).run(echo);
    const { error, begun } = unreached(outcome, 'HOST_IDENTITY_CHANGED');
    assert.ok(
      error.message.includes(pinned) && error.message.includes(bench().transport.hostKey ?? '?'),
      error.message,
    );
    assert.equal(begun, false);
  });

  test('an unknown SSH key is rejected at once', async t => {
    const privateKey = new Secret('a stranger’s key', testKey().private);
    const transport = opened(t, { privateKey });
    unreached(await transport.run(echo), 'HOST_KEY_REFUSED');
    assert.match(transport.hostKey ?? '', /^SHA256:/, 'the host is known although it let us not in');
    const waiting = untilReachable(transport, { within: seconds(300), every: seconds(10), clock: systemClock });
    await assert.rejects(waiting, { code: 'HOST_KEY_REFUSED' });
  });

  test('a closed port is unreachable: connection refused', async t => {
    const server = createServer();
    const port = await new Promise<number>(resolve =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
    await new Promise(resolve => server.close(resolve));
    const { error, begun } = unreached(await opened(t, { port }).run(echo), 'HOST_UNREACHABLE');
    assert.match(error.message, /\(connection refused\)/);
    assert.equal(begun, false);
  });

  test('a host name that does not resolve is unreachable with that reason', async t => {
    const outcome = await opened(t, { address: 'no-such-host.invalid' }).run(echo);
    assert.match(unreached(outcome, 'HOST_UNREACHABLE').error.message, /name does not resolve/);
  });

  test('a host that accepts the connection and stays silent is unreachable after the timeout', async t => {
    const proxy = await startStallableProxy(network(bench).port);
    t.after(() => proxy.close());
    proxy.stall();
    const transport = opened(t, { port: proxy.port, connectTimeout: milliseconds(300) });
    const outcomes = await Promise.all([transport.run(echo), transport.run(echo)]);
    for (const outcome of outcomes) {
      assert.match(unreached(outcome, 'HOST_UNREACHABLE').error.message, /no answer within 300ms/);
    }
    proxy.recover();
    await untilReachable(transport, { within: seconds(20), every: milliseconds(10), clock: systemClock });
  });

  test('a command can be cancelled before the connection is open', async t => {
    const proxy = await startStallableProxy(network(bench).port);
    t.after(() => proxy.close());
    proxy.stall();
    const transport = opened(t, { port: proxy.port, connectTimeout: seconds(20) });
    assert.equal((await transport.run({ ...echo, deadline: milliseconds(200) })).kind, 'timed out');
    const signal = AbortSignal.timeout(100);
    await assert.rejects(transport.run({ ...echo, signal }), { name: 'TimeoutError' });
    assert.equal(transport.roundTrips, 0);
  });

  test('a command on a closed transport is not sent', async t => {
    const transport = opened(t);
    await ran(transport, ['/bin/echo']);
    await transport.close();
    assert.match(unreached(await transport.run(echo), 'HOST_UNREACHABLE').error.message, /closed by this process/);
  });

  test('a host whose key changed after the first contact gets no command', async t => {
    const transport = opened(t, { hostKey: { firstContact: 'accept' } });
    await ran(transport, ['/bin/echo']);
    const first = transport.hostKey ?? '?';
    await network(bench).changeHostKey();
    await network(bench).breakConnections();
    const { error } = unreached(await eventuallyRefused(transport), 'HOST_IDENTITY_CHANGED');
    assert.ok(error.message.includes(first), error.message);
    assert.equal(transport.hostKey, first);
    const waiting = untilReachable(transport, { within: seconds(300), every: seconds(10), clock: systemClock });
    await assert.rejects(waiting, { code: 'HOST_IDENTITY_CHANGED' });
  });
}

const echo = { argv: ['/bin/echo'], deadline: seconds(20) } as const;

function network(bench: Bench) {
  const { network: found } = bench();
  assert.ok(found);
  return found;
}

function unreached(outcome: CommandOutcome, code: string) {
  assert.equal(outcome.kind, 'unreached');
  assert.ok(outcome.kind === 'unreached');
  assert.equal(outcome.error.code, code, outcome.error.message);
  return outcome;
}

/** The end of the old connection may reach us a moment after it happened. */
async function eventuallyRefused(transport: HostTransport): Promise<CommandOutcome> {
  for (;;) {
    const outcome = await transport.run(echo);
    if (outcome.kind === 'unreached' && outcome.error.code !== 'HOST_CONNECTION_LOST') return outcome;
    assert.equal(outcome.kind, 'unreached', 'the old connection still answers');
  }
}
