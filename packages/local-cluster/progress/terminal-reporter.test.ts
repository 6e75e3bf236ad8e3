import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTerminalReporter } from './terminal-reporter.ts';

function reporter(isTTY: boolean) {
  const written: string[] = [];
  const passed: number[] = [];
  const output = { isTTY, columns: 40, write: (text: string) => written.push(text) };
  return {
    reporter: createTerminalReporter({ output, now: () => passed.reduce((sum, each) => sum + each, 0) }),
    pass: (milliseconds: number) => void passed.push(milliseconds),
    text: () => written.join(''),
  };
}

test('progress: without a terminal each step is two plain lines', () => {
  const { reporter: plain, pass, text } = reporter(false);
  const step = plain.step('etcd v3 (1 of 2)');
  step.update('compiling');
  pass(1500);
  step.done('built by go');
  assert.equal(text(), '… etcd v3 (1 of 2)\n✓ etcd v3 (1 of 2) (1.5 s): built by go\n');
});

test('progress: on a terminal one line is rewritten and never wraps', () => {
  const { reporter: live, text } = reporter(true);
  const step = live.step('building');
  step.update('x'.repeat(100));
  step.failed('no');
  const lines = text().split('\r\u001b[2K');
  assert.ok(lines.slice(1, -1).every(line => line.length < 40 && !line.includes('\n')));
  assert.equal(lines.at(-1), '✗ building (0.0 s): no\n');
});

test('progress: a finished step prints nothing more', () => {
  const { reporter: plain, text } = reporter(false);
  const step = plain.step('once');
  step.done();
  step.done();
  assert.equal(text().match(/✓/g)?.length, 1);
});

test('progress: a long step without updates shows that it is still running', t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { reporter: plain, pass, text } = reporter(false);
  const step = plain.step('linking');
  pass(30_000);
  t.mock.timers.tick(30_000);
  step.done();
  t.mock.timers.tick(60_000);
  assert.equal(text(), '… linking\n… linking (30.0 s)\n✓ linking (30.0 s)\n');
});
