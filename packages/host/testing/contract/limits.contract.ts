import assert from 'node:assert/strict';
import { milliseconds, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { Bench } from './contract-host.ts';
import { ran } from './ran.ts';
import { test } from './test.ts';

export function limitsContract(bench: Bench): void {
  test('a command past its deadline times out, with its output so far', async () => {
    const outcome = await bench().transport.run({
      argv: ['/bin/sh', '-c', 'echo begun; exec sleep 600'],
      deadline: milliseconds(1_000),
    });
    assert.deepEqual([outcome.kind, outcome.stdout.toString()], ['timed out', 'begun\n']);
  });

  test('the command after a timed-out one works', async () => {
    assert.equal((await ran(bench().transport, ['/bin/echo', 'still there'])).stdout.toString(), 'still there\n');
  });

  test('a cancelled command rejects with the reason of its signal', async () => {
    const reason = new Error('no longer wanted');
    const controller = new AbortController();
    const running = bench().transport.run({
      argv: ['/bin/sh', '-c', 'echo begun; exec sleep 600'],
      deadline: seconds(60),
      signal: controller.signal,
      onStdout: () => controller.abort(reason),
    });
    await assert.rejects(running, reason);
  });

  test('a command cancelled before its start is never sent', async () => {
    const { transport } = bench();
    const before = transport.roundTrips;
    const signal = AbortSignal.abort(new Error('too late'));
    await assert.rejects(transport.run({ argv: ['/bin/echo'], deadline: seconds(60), signal }), {
      message: 'too late',
    });
    assert.equal(transport.roundTrips, before);
  });

  test('an abandoned command is terminated on the host, even if its input had ended', async t => {
    const { transport, passesSignals, folder } = bench();
    if (!passesSignals) return t.skip('OpenSSH passes no signals on to root');
    const pid = `${folder}/pid`;
    const argv = ['/bin/sh', '-c', `echo $$ > ${pid}; echo begun; exec sleep 600`] as const;
    const controller = new AbortController();
    const onStdout = (): void => controller.abort();
    await assert.rejects(transport.run({ argv, deadline: seconds(60), signal: controller.signal, onStdout }));
    await eventually(
      async () => (await ran(transport, ['/bin/sh', '-c', `kill -0 "$(cat ${pid})" 2>/dev/null`])).exitCode === 1,
      { what: 'the end of the command' },
    );
  });

  test('twelve commands that outlive their deadline do not block the next', async () => {
    const { transport } = bench();
    // Deaf to the signal: sshd keeps a session for each until it ends, and opens no more than ten on a connection.
    const deaf = {
      argv: ['/bin/sh', '-c', 'trap "" TERM; echo begun; sleep 20'],
      deadline: milliseconds(700),
    } as const;
    for (let round = 0; round < 2; round++) {
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => transport.run(deaf)));
      for (const outcome of outcomes) {
        assert.deepEqual([outcome.kind, outcome.stdout.toString()], ['timed out', 'begun\n']);
      }
    }
    const { stdout } = await ran(transport, ['/bin/echo', 'room'], { deadline: seconds(5) });
    assert.equal(stdout.toString(), 'room\n');
  });

  test('the wait for a free channel counts towards the deadline', async () => {
    const { transport } = bench();
    const held = new AbortController();
    const holding = Array.from({ length: 8 }, () =>
      transport.run({ argv: ['/bin/cat'], stdin: until(held.signal), deadline: seconds(60) }),
    );
    const waiting = Array.from({ length: 20 }, () =>
      transport.run({ argv: ['/bin/sh', '-c', 'cat; exit 5'], stdin: until(held.signal), deadline: milliseconds(600) }),
    );
    assert.deepEqual(new Set((await Promise.all(waiting)).map(({ kind }) => kind)), new Set(['timed out']));
    held.abort();
    assert.deepEqual(new Set((await Promise.all(holding)).map(({ kind }) => kind)), new Set(['ran']));
  });
}

/** Input that goes on until somebody ends it. */
async function* until(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
  yield Buffer.from('the end');
}
