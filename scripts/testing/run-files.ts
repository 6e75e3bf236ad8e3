/**
 * Runs test files in the given order: `run-files.ts [--in-process] [--at-once <n>] --timeout <ms> --failures <file> <file>…`.
 * `node --test` sorts its files, so a long one that starts last would keep one core busy alone.
 */
import { createHook } from 'node:async_hooks';
import { createWriteStream } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { exitWhenStuck } from './end-when-stuck.ts';
import failuresOnly from './failures-only.ts';

const { values, positionals } = parseArgs({
  options: {
    'in-process': { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '1' },
    timeout: { type: 'string', default: '300000' },
    failures: { type: 'string' },
    'test-name-pattern': { type: 'string', multiple: true },
  },
  allowPositionals: true,
});

/**
 * Node's test runner follows every promise of the process with an async hook, to name the test that caused an uncaught
 * exception. In one process with hundreds of files this was half of the processor time (mostly garbage collection of
 * promises with a destroy hook). Without it an uncaught exception still fails the run, but is reported beside the tests.
 * The hook itself has to stay: it connects a test with the `describe` around it.
 */
function followNoPromises(): void {
  interface Hook extends Record<symbol, unknown> {
    enable: (this: Hook) => unknown;
  }
  const prototype = Object.getPrototypeOf(createHook({})) as Hook;
  const { enable } = prototype;
  prototype.enable = function () {
    for (const symbol of Object.getOwnPropertySymbols(this)) {
      if (symbol.description === 'kNoPromiseHook') this[symbol] = true;
      if (symbol.description === 'destroy') this[symbol] = undefined;
    }
    return enable.call(this);
  };
}

const patterns = values['test-name-pattern'];
if (values['in-process']) followNoPromises();
const events = run({
  files: positionals,
  timeout: Number(values.timeout),
  ...(values['in-process']
    ? { isolation: 'none', concurrency: 1 }
    : {
        isolation: 'process',
        concurrency: Number(values['at-once']),
        execArgv: ['--import=./scripts/testing/preload.ts'],
      }),
  ...(patterns ? { testNamePatterns: patterns } : {}),
});
events.on('test:summary', ({ file, success }) => {
  if (file !== undefined) return;
  if (!success) process.exitCode = 1;
  if (values['in-process']) exitWhenStuck(60_000);
});
if (values.failures) events.compose(failuresOnly).pipe(createWriteStream(values.failures));
events.compose(new spec()).pipe(process.stdout);
