import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { startControlServer } from '../running/control-socket.ts';
import { writeUpState } from '../running/up-state.ts';
import { devCommandLine } from '../testing/dev-command-line.ts';

/** Starts a process that accepts the stop request and ends when the test ends it. */
async function startFakeUp(t: TestContext) {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'down-'));
  const control = join(stateDirectory, 'control');
  const program = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1_000)']);
  const ended = once(program, 'exit');
  const stop = Promise.withResolvers<void>();
  const server = await startControlServer(control, {
    status: async (_, report) => report({ ready: true }),
    stop: async () => stop.resolve(),
  });
  t.after(async () => {
    program.kill('SIGKILL');
    await server.close();
    rmSync(stateDirectory, { recursive: true });
  });
  const { pid = 0 } = program;
  await writeUpState(stateDirectory, { pid, kubeconfig: '/k', tools: '/t', control });
  const end = (): Promise<unknown> => {
    program.kill('SIGKILL');
    return ended;
  };
  return { stateDirectory, pid, end, stopRequested: stop.promise };
}

test('down returns when the process of up has ended', async t => {
  const up = await startFakeUp(t);
  const clock = fakeClock();
  const down = devCommandLine({ clock, stateDirectory: up.stateDirectory })('down');
  await up.stopRequested;
  await eventually(() => clock.pending > 0);
  await up.end();
  await clock.advance(minutes(1));
  assert.deepEqual(await down, { code: 0, output: 'Stopped; all processes and files are removed.\n', errors: '' });
});

test('down names the log and the kill command when up does not end', async t => {
  const up = await startFakeUp(t);
  const clock = fakeClock();
  const down = devCommandLine({ clock, stateDirectory: up.stateDirectory })('down');
  await up.stopRequested;
  await eventually(() => clock.pending > 0);
  await clock.advance(minutes(5));
  const { code, errors } = await down;
  assert.equal(code, 1);
  assert.match(errors, /^minifleet: process \d+ has not stopped after 4 minutes; check its terminal, or/);
  assert.ok(errors.includes(`${up.stateDirectory}/up.log after a start with --detach`), errors);
  assert.ok(errors.includes(`kill -9 ${up.pid}, and its watchdog removes the rest (DOWN_TIMED_OUT)`), errors);
});

test('down reports that no up is running', async t => {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'down-'));
  t.after(() => rmSync(stateDirectory, { recursive: true }));
  const { code, output } = await devCommandLine({ stateDirectory })('down');
  assert.deepEqual([code, output], [0, 'No minifleet up is running.\n']);
});
