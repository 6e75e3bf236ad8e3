import assert from 'node:assert/strict';
import { milliseconds } from '@minifleet/clock';
import type { Bench } from './contract-host.ts';
import { test } from './test.ts';

/** Reads that travel together. */
export function looksContract(bench: Bench): void {
  test('queries of one turn take one round trip, whatever their output', async () => {
    const { host, transport } = bench();
    const before = transport.roundTrips;
    const [bytes, bare, silent, failed, loud, missing] = await Promise.all([
      host.query(['/usr/bin/printf', String.raw`\000a\000\377\n\n`]),
      host.query(['/usr/bin/printf', 'no newline']),
      host.query(['/bin/sh', '-c', ':']),
      host.query(['/bin/sh', '-c', 'echo out; echo err >&2; exit 9']),
      host.query(['/bin/sh', '-c', 'printf "%500000s" end']),
      host.query(['/no/such/program']),
    ]);
    assert.deepEqual(bytes.bytes, Buffer.from([0, 97, 0, 255, 10, 10]));
    assert.equal(bare.stdout, 'no newline');
    assert.deepEqual([silent.stdout, silent.stderr, silent.exitCode], ['', '', 0]);
    assert.deepEqual([failed.stdout, failed.stderr, failed.exitCode], ['out\n', 'err\n', 9]);
    assert.equal(loud.stdout.length, 500_000);
    assert.equal(missing.exitCode, 127);
    assert.equal(transport.roundTrips - before, 1);
  });

  test('a query that reads its input gets end of file, not the queries after it', async () => {
    const { host } = bench();
    const [eater, next] = await Promise.all([host.query(['/bin/cat']), host.query(['/bin/echo', 'still asked'])]);
    assert.deepEqual([eater.stdout, next.stdout], ['', 'still asked\n']);
  });

  test('a hanging query times out alone; queries before and after it are answered', async () => {
    const { host } = bench();
    const [first, hung, ...others] = await Promise.allSettled([
      host.query(['/bin/sh', '-c', 'echo one; echo aside >&2']),
      host.query(['/bin/sh', '-c', 'sleep 30'], { timeout: milliseconds(500) }),
      host.query(['/bin/echo', 'two']),
      host.query(['/bin/echo', 'three']),
    ]);
    assert.equal(hung.status === 'rejected' && hung.reason.code, 'HOST_COMMAND_TIMED_OUT');
    assert.match(hung.status === 'rejected' ? hung.reason.message : '', /sleep 30|after|500ms/);
    const said = [first, ...others].map(one => (one.status === 'fulfilled' ? one.value.stdout : one.reason));
    assert.deepEqual(said, ['one\n', 'two\n', 'three\n']);
    assert.equal(first.status === 'fulfilled' && first.value.stderr, 'aside\n');
  });

  test('many queries that together exceed one timeout are all answered', async () => {
    const { host } = bench();
    const asked = Array.from({ length: 8 }, (_, index) =>
      host.query(['/bin/sh', '-c', `sleep 0.25; echo ${index}`], { timeout: milliseconds(1_200) }),
    );
    assert.deepEqual(
      (await Promise.all(asked)).map(({ stdout }) => stdout.trim()),
      Array.from({ length: 8 }, (_, index) => String(index)),
    );
  });

  test('600 concurrent queries are answered in three round trips', async () => {
    const { host, transport } = bench();
    const before = transport.roundTrips;
    const numbers = Array.from({ length: 600 }, (_, index) => String(index));
    const answers = await Promise.all(numbers.map(number => host.query(['/bin/echo', number])));
    assert.deepEqual(
      answers.map(({ stdout }) => stdout.trim()),
      numbers,
    );
    assert.equal(transport.roundTrips - before, 3);
  });
}
