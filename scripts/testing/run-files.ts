/**
 * Runs test files in the given order: `run-files.ts [--in-process] [--at-once <n>] --timeout <ms> --failures <file> <file>…`.
 * `node --test` sorts its files, so a long one that starts last would keep one core busy alone.
 */
import { createWriteStream } from 'node:fs';
import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { exitWhenStuck } from './end-when-stuck.ts';
import failuresOnly from './failures-only.ts';
import { followNoPromises } from './follow-no-promises.ts';

/** Files in the list of the slowest at the end. */
const SHOWN = 15;

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
const durations: { readonly file: string; readonly seconds: number }[] = [];
events.on('test:summary', ({ file, success, duration_ms }) => {
  if (file !== undefined) {
    durations.push({ file, seconds: duration_ms / 1_000 });
    return;
  }
  if (!success) process.exitCode = 1;
  if (values['in-process']) exitWhenStuck(60_000);
});
if (values.failures) events.compose(failuresOnly).pipe(createWriteStream(values.failures));
events.compose(new spec()).pipe(process.stdout);
process.once('beforeExit', () => {
  if (durations.length < 2) return;
  const slowest = durations.toSorted((one, other) => other.seconds - one.seconds).slice(0, SHOWN);
  const lines = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${relative('.', file)}`);
  console.log(`slowest files\n${lines.join('\n')}`);
});
