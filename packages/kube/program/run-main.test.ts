import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { type MainProcess, type ProgramMain, runMain } from './run-main.ts';

function fakeProcess(...argv: string[]) {
  const signals = new EventEmitter();
  const written = { stdout: '', stderr: '', exits: 0 };
  const process: MainProcess = {
    argv: ['node', 'main.ts', ...argv],
    stdout: { write: text => (written.stdout += text) },
    stderr: { write: text => (written.stderr += text) },
    once: (name, listener) => signals.once(name, listener),
    exit: () => (written.exits += 1),
  };
  return { process, signals, written };
}

const main = (options: Partial<ProgramMain> = {}): ProgramMain => ({
  program: 'example',
  version: '1.2.3',
  help: async () => 'help\n',
  run: async () => undefined,
  ...options,
});

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

test('--version and --help print to stdout and start nothing', async () => {
  const run = () => Promise.reject(new Error('started'));
  for (const [argument, text] of [
    ['--version', 'example 1.2.3\n'],
    ['--help', 'help\n'],
  ] as const) {
    const { process, written } = fakeProcess('--other', argument);
    await runMain(process, main({ run, exit: true }));
    assert.deepEqual([written.stdout, written.exits, process.exitCode], [text, 0, undefined]);
  }
});

test('a failure is printed to stderr with the program name, and the exit code is 1', async () => {
  const { process, written } = fakeProcess();
  await runMain(process, main({ run: () => Promise.reject(new Error('no such file')) }));
  assert.deepEqual([written.stderr, process.exitCode, written.exits], ['example: no such file\n', 1, 0]);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  test(`${signal} aborts a program and is not a failure`, async () => {
    const { process, signals, written } = fakeProcess();
    const ended = runMain(
      process,
      main({ run: (_, stop) => untilAborted(stop), signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], exit: true }),
    );
    signals.emit(signal);
    await ended;
    assert.deepEqual([written.stderr, process.exitCode, written.exits], ['', undefined, 1]);
  });

test('a program does not handle SIGHUP unless it asks for it', async () => {
  const { process, signals } = fakeProcess();
  await runMain(process, main());
  assert.deepEqual(signals.eventNames(), ['SIGINT', 'SIGTERM']);
});

test('a subcommand gets its own arguments, with --help', async () => {
  const { process, written } = fakeProcess('wait', '--help');
  const given: string[] = [];
  await runMain(process, main({ commands: { wait: async argv => void given.push(...argv) } }));
  assert.deepEqual([given, written.stdout], [['--help'], '']);
});
