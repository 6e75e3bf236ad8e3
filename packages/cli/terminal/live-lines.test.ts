import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createLiveLines } from './live-lines.ts';
import { terminalScreen } from './testing/terminal-screen.ts';

test('live lines keep finished tasks above and redraw running tasks below', async () => {
  const clock = fakeClock();
  const screen = terminalScreen(60);
  const live = createLiveLines(screen, clock);
  const one = live.begin(spinner => `${spinner} one`);
  const two = live.begin(spinner => `${spinner} two`);
  await clock.advance(milliseconds(350));
  assert.match(screen.text(), /^\S one\n\S two\n$/);
  one.keep('✓ one');
  assert.match(screen.text(), /^✓ one\n\S two\n$/);
  live.keep('a note');
  assert.match(screen.text(), /^✓ one\na note\n\S two\n$/);
  two.drop();
  assert.equal(screen.text(), '✓ one\na note\n');
  assert.equal(clock.pending, 0);
});

test('a redraw of live lines is one write, to avoid flicker', async () => {
  const clock = fakeClock();
  const screen = terminalScreen(60);
  const line = createLiveLines(screen, clock).begin(spinner => `${spinner} one`);
  const before = screen.writes();
  await clock.advance(milliseconds(100));
  assert.equal(screen.writes(), before + 1);
  line.drop();
});

test('a live line never wraps, because it would be redrawn at the wrong place', async () => {
  const screen = terminalScreen(20);
  const line = createLiveLines(screen, fakeClock()).begin(() => 'x'.repeat(100));
  assert.equal(screen.text(), `${'x'.repeat(18)}…\n`);
  line.drop();
});

test('ending live lines removes the running tasks from the screen', () => {
  const clock = fakeClock();
  const screen = terminalScreen(60);
  const live = createLiveLines(screen, clock);
  live.keep('✓ one');
  live.begin(() => 'two');
  live.end();
  assert.equal(screen.text(), '✓ one\n');
  assert.equal(clock.pending, 0);
});
