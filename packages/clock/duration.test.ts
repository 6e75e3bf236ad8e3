import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAge, formatDuration, milliseconds, minutes, parseDuration, seconds } from './duration.ts';

test('formatDuration prints at most the two largest units', () => {
  const durations = [milliseconds(40), seconds(1.5), seconds(59.96), minutes(2), seconds(200), minutes(125)];
  assert.deepEqual(durations.map(formatDuration), ['40ms', '1.5s', '1m', '2m', '3m20s', '2h5m']);
  assert.deepEqual([minutes(76 * 60), minutes(48 * 60)].map(formatDuration), ['3d4h', '2d']);
});

test('formatDuration leaves out a second unit that is zero', () => {
  assert.equal(formatDuration(seconds(3_605)), '1h');
});

test('formatAge counts whole seconds and never goes below zero', () => {
  assert.equal(formatAge(0, 45_900), '45s');
  assert.equal(formatAge(5_000, 0), '0s');
  assert.equal(formatAge(Number.NaN, 0), '');
});

test('parseDuration reads what Go writes and nothing else', () => {
  assert.deepEqual(['90s', '30m', '1h30m', '2d', '0s'].map(parseDuration), [
    seconds(90),
    minutes(30),
    minutes(90),
    minutes(2_880),
    0,
  ]);
  assert.deepEqual(['', '5', 'soon', '1.5h', '-3s'].map(parseDuration), Array(5).fill(undefined));
});
