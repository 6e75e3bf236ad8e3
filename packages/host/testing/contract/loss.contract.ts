import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { milliseconds, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { startStallableProxy } from '@minifleet/kube/testing';
import type { SshTransportOptions } from '../../transport/ssh-transport.ts';
import type { CommandOutcome } from '../../transport/transport.ts';
import type { Bench } from './contract-host.ts';
import { ran } from './ran.ts';
import { test } from './test.ts';

const echo = { argv: ['/bin/echo', 'hello'], deadline: seconds(20) } as const;
const hang = { argv: ['/bin/sh', '-c', 'echo begun; sleep 30'], deadline: seconds(60) } as const;

/** A connection that breaks: what the command's fate is, and that the next command finds a new one. */
export function lossContract(bench: Bench): void {
  const through = async (t: TestContext, options: Partial<SshTransportOptions> = {}) => {
    const { network } = bench();
    assert.ok(network);
    const proxy = await startStallableProxy(network.port);
    const transport = network.open({ port: proxy.port, ...options });
    t.after(async () => {
      await transport.close();
      await proxy.close();
    });
    await ran(transport, ['/bin/echo']);
    return { proxy, transport };
  };

  test('a connection lost while idle is reopened by the next command', async t => {
    const { proxy, transport } = await through(t);
    proxy.cut();
    await eventually(async () => (await transport.run(echo)).kind === 'ran', { interval: milliseconds(1) });
  });

  test('a connection lost during commands ends them as begun, with their output so far', async t => {
    const { network } = bench();
    assert.ok(network);
    const transport = network.open();
    t.after(() => transport.close());
    let begun = 0;
    const onStdout = (): void => {
      begun += 1;
      if (begun === 3) void network.breakConnections();
    };
    const outcomes = await Promise.all([1, 2, 3].map(() => transport.run({ ...hang, onStdout })));
    for (const outcome of outcomes) {
      lost(outcome, { begun: true });
      assert.equal(outcome.stdout.toString(), 'begun\n');
    }
    assert.equal((await ran(transport, echo.argv)).stdout.toString(), 'hello\n');
  });

  test('a command not sent before the connection was lost is not begun', async t => {
    const { proxy, transport } = await through(t);
    const before = transport.roundTrips;
    proxy.stall();
    const running = transport.run(echo);
    await eventually(() => transport.roundTrips > before);
    proxy.cut();
    lost(await running, { begun: false });
  });

  test('commands that wait for a channel when the connection is lost have not begun', async t => {
    const { proxy, transport } = await through(t);
    let begun = 0;
    const onStdout = (): void => {
      begun += 1;
      if (begun === 8) proxy.cut();
    };
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => transport.run({ ...hang, onStdout })));
    assert.deepEqual(
      outcomes.map(outcome => outcome.kind === 'unreached' && outcome.begun),
      Array.from({ length: 20 }, (_, index) => index < 8),
    );
  });

  test('keepalives detect a host that drops packets, long before the deadline', async t => {
    const { proxy, transport } = await through(t, { keepalive: { every: milliseconds(100), misses: 9 } });
    const running = transport.run({ ...hang, onStdout: () => proxy.stall() });
    const { error } = lost(await running, { begun: true });
    assert.match(error.message, /no keepalive reply for 1s/);
    proxy.recover();
    assert.equal((await ran(transport, echo.argv)).stdout.toString(), 'hello\n');
  });

  test('a quiet connection that answers keepalives stays open', async t => {
    // A reply may take 1.8 s on a busy machine; the command outlasts that.
    const { transport } = await through(t, { keepalive: { every: milliseconds(20), misses: 89 } });
    assert.equal((await ran(transport, ['/bin/sh', '-c', 'sleep 2; echo awake'])).stdout.toString(), 'awake\n');
    assert.equal(transport.roundTrips, 2);
  });

  test('closing a transport ends its running commands', async t => {
    const { network } = bench();
    assert.ok(network);
    const transport = network.open();
    t.after(() => transport.close());
    const outcome = await transport.run({ ...hang, onStdout: () => void transport.close() });
    assert.match(lost(outcome, { begun: true }).error.message, /closed by this process/);
  });
}

function lost(outcome: CommandOutcome, { begun }: { readonly begun: boolean }) {
  assert.equal(outcome.kind, 'unreached');
  assert.ok(outcome.kind === 'unreached');
  assert.equal(outcome.error.code, 'HOST_CONNECTION_LOST', outcome.error.message);
  assert.equal(outcome.begun, begun);
  return outcome;
}
