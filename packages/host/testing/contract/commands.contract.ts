import assert from 'node:assert/strict';
import { seconds } from '@minifleet/clock';
import type { Bench } from './contract-host.ts';
import { ran } from './ran.ts';
import { test } from './test.ts';

export function commandsContract(bench: Bench): void {
  for (const code of [0, 1, 7, 127, 255]) {
    test(`exit code ${code} is returned`, async () => {
      assert.equal((await ran(bench().transport, ['/bin/sh', '-c', `exit ${code}`])).exitCode, code);
    });
  }

  test('a missing program is exit code 127 with a shell message', async () => {
    const { exitCode, stderr } = await ran(bench().transport, ['/no/such/program']);
    assert.equal(exitCode, 127);
    assert.match(stderr.toString(), /no such file|not found/i);
  });

  test('a command terminated by a signal has the signal and no exit code', async () => {
    const outcome = await ran(bench().transport, bench().suicide);
    assert.deepEqual([outcome.exitCode, outcome.signal], [undefined, 'SIGKILL']);
  });

  test('standard output and standard error are separate', async () => {
    const { stdout, stderr } = await ran(bench().transport, ['/bin/sh', '-c', 'echo one; echo two >&2; echo three']);
    assert.deepEqual([stdout.toString(), stderr.toString()], ['one\nthree\n', 'two\n']);
  });

  test('binary output is returned unchanged', async () => {
    const { stdout } = await ran(bench().transport, ['/usr/bin/printf', String.raw`\000\001\377\n\000`]);
    assert.deepEqual(stdout, Buffer.from([0, 1, 255, 10, 0]));
  });

  test('ten megabytes of output are returned completely', async () => {
    const script = 'i=0; while [ $i -lt 10 ]; do printf "%1000000s" $i; i=$((i + 1)); done';
    assert.equal((await ran(bench().transport, ['/bin/sh', '-c', script])).stdout.length, 10_000_000);
  });

  test('output callbacks run as output arrives', async () => {
    const { transport } = bench();
    const heard: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* afterFirst() {
      await promise;
      yield Buffer.from('go\n');
    }
    const outcome = await transport.run({
      argv: ['/bin/sh', '-c', 'echo first; echo aside >&2; read -r word; echo "$word"'],
      stdin: afterFirst(),
      deadline: seconds(20),
      onStdout: chunk => {
        heard.push(`out ${chunk.toString().trim()}`);
        resolve();
      },
      onStderr: chunk => void heard.push(`err ${chunk.toString().trim()}`),
    });
    assert.equal(outcome.kind, 'ran');
    assert.deepEqual(heard.sort(), ['err aside', 'out first', 'out go']);
  });

  test('30 concurrent commands each get their own result', async () => {
    const { transport } = bench();
    const before = transport.roundTrips;
    const numbers = Array.from({ length: 30 }, (_, index) => String(index));
    const answers = await Promise.all(numbers.map(number => ran(transport, ['/bin/sh', '-c', `echo ${number}; cat`])));
    assert.deepEqual(
      answers.map(({ stdout }) => stdout.toString().trim()),
      numbers,
    );
    assert.equal(transport.roundTrips - before, 30);
  });

  test('an argument with a NUL byte is rejected locally', async () => {
    const { transport } = bench();
    await assert.rejects(transport.run({ argv: ['echo', 'a\0b'], deadline: seconds(20) }), RangeError);
  });
}
