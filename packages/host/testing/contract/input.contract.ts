import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { seconds } from '@minifleet/clock';
import type { Bench } from './contract-host.ts';
import { ran } from './ran.ts';
import { test } from './test.ts';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export function inputContract(bench: Bench): void {
  test('a command without input gets end of file at once', async () => {
    assert.equal((await ran(bench().transport, ['/bin/cat'])).stdout.length, 0);
  });

  test('input with NUL bytes arrives unchanged', async () => {
    const stdin = Buffer.from([0, 1, 2, 255, 10]);
    assert.deepEqual((await ran(bench().transport, ['/bin/cat'], { stdin })).stdout, stdin);
  });

  test('16 MB of input arrive completely', async () => {
    const stdin = randomBytes(16_000_000);
    const { stdout } = await ran(bench().transport, ['/usr/bin/shasum', '-a', '256'], { stdin });
    assert.equal(stdout.toString(), `${sha256(stdin)}  -\n`);
  });

  test('streamed input arrives completely and in order', async () => {
    const chunks = Array.from({ length: 300 }, () => randomBytes(50_000));
    async function* stream() {
      yield* chunks;
    }
    const { stdout } = await ran(bench().transport, ['/usr/bin/shasum', '-a', '256'], { stdin: stream() });
    assert.equal(stdout.toString(), `${sha256(Buffer.concat(chunks))}  -\n`);
  });

  test('an input source is read no faster than the command reads', async t => {
    if (!bench().holdsInputBack) return t.skip('the simulation takes all input at once');
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; ; read += 100_000) yield Buffer.alloc(100_000);
    }
    await ran(bench().transport, ['/bin/sh', '-c', 'sleep 1'], { stdin: endless() });
    assert.ok(read < 8_000_000, `${read} bytes were read`);
  });

  test('a command that does not read its input still ends', async () => {
    const stdin = Buffer.alloc(16_000_000);
    assert.equal((await ran(bench().transport, ['/bin/sh', '-c', 'exit 3'], { stdin })).exitCode, 3);
  });

  test('an input source that never ends does not block a finished command', async () => {
    async function* never(): AsyncGenerator<Uint8Array> {
      yield await new Promise<Uint8Array>(() => undefined);
    }
    assert.equal((await ran(bench().transport, ['/bin/sh', '-c', 'exit 4'], { stdin: never() })).exitCode, 4);
  });

  test('a failing input source rejects the command', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('the file is gone');
    }
    const command = { argv: ['/bin/cat'], stdin: broken(), deadline: seconds(20) } as const;
    await assert.rejects(bench().transport.run(command), { message: 'the file is gone' });
  });

  test('a failing output callback rejects the command', async () => {
    const onStdout = (): void => {
      throw new Error('cannot make sense of it');
    };
    const command = { argv: ['/bin/echo', 'hello'], deadline: seconds(20), onStdout } as const;
    await assert.rejects(bench().transport.run(command), { message: 'cannot make sense of it' });
  });
}
