import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '@minifleet/clock/testing';

const asking = fileURLToPath(new URL('./testing/ask-password.ts', import.meta.url));

/** Runs the prompt on a pseudo-terminal of util-linux's `script`, which echoes input unless the prompt disables it. */
function atTerminal() {
  const line = `stty cols 80 rows 24; '${process.execPath}' '${asking}'`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let screen = '';
  child.stdout.on('data', chunk => (screen += String(chunk)));
  const exited = new Promise(resolve => child.once('exit', resolve));
  return { type: (keys: string) => child.stdin.write(keys), screen: () => screen, exited };
}

test('the password prompt echoes nothing on a terminal', async () => {
  const { type, screen, exited } = atTerminal();
  await eventually(() => screen().includes('Password of m1'));
  type('hunter2-unseen');
  type('\r');
  await exited;
  assert.match(screen(), /got 14 letters/);
  assert.doesNotMatch(screen(), /hunter|unseen|[▪•*]/);
});

test('Ctrl-C at the password prompt returns no answer', async () => {
  const { type, screen, exited } = atTerminal();
  await eventually(() => screen().includes('Password of m1'));
  type('\u0003');
  await exited;
  assert.match(screen(), /got nothing/);
});
