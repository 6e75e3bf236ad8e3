import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { devCommandLine } from '../testing/dev-command-line.ts';
import { startControlServer } from './running/control-server.ts';
import { writeRunning } from './running/running-file.ts';

/** An `up` that takes the order to stop, and is a process of its own that ends when the test wants it to. */
async function upThatRuns(t: TestContext) {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'down-'));
  const control = join(stateDirectory, 'control');
  const program = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1_000)']);
  const ended = once(program, 'exit');
  const stop = Promise.withResolvers<void>();
  const server = await startControlServer(control, {
    standing: async (_, tell) => tell({ ready: true }),
    stop: async () => stop.resolve(),
  });
  t.after(async () => {
    program.kill('SIGKILL');
    await server.close();
    rmSync(stateDirectory, { recursive: true });
  });
  const { pid = 0 } = program;
  await writeRunning(stateDirectory, { pid, kubeconfig: '/k', tools: '/t', control });
  const end = (): Promise<unknown> => {
    program.kill('SIGKILL');
    return ended;
  };
  return { stateDirectory, pid, end, toldToStop: stop.promise };
}

test('down returns when what was up is gone', async t => {
  const up = await upThatRuns(t);
  const clock = fakeClock();
  const down = devCommandLine({ clock, stateDirectory: up.stateDirectory })('down');
  await up.toldToStop;
  await eventually(() => clock.pending > 0);
  await up.end();
  await clock.advance(minutes(1));
  assert.deepEqual(await down, { code: 0, output: 'It is down; nothing is left of it.\n', errors: '' });
});

test('down of one that does not end says where to look and how to end it', async t => {
  const up = await upThatRuns(t);
  const clock = fakeClock();
  const down = devCommandLine({ clock, stateDirectory: up.stateDirectory })('down');
  await up.toldToStop;
  await eventually(() => clock.pending > 0);
  await clock.advance(minutes(5));
  const { code, errors } = await down;
  assert.equal(code, 1);
  assert.match(errors, /^minifleet: process \d+ still stops after 4 minutes; see what it says at its terminal, or/);
  assert.ok(errors.includes(`${up.stateDirectory}/up.log if it was started with --detach`), errors);
  assert.ok(errors.includes(`kill -9 ${up.pid}: its watchdog removes the rest (DOWN_NOT_OVER)`), errors);
});

test('down without anything up says so', async t => {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'down-'));
  t.after(() => rmSync(stateDirectory, { recursive: true }));
  const { code, output } = await devCommandLine({ stateDirectory })('down');
  assert.deepEqual([code, output], [0, 'Nothing is up.\n']);
});
