import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { nothingPulled, pulledBytes, type ReportedProgress, readPullLine, shouldReport } from './pull-progress.ts';

const after = (...lines: string[]) => lines.reduce(readPullLine, nothingPulled);

test('pull progress is parsed from the output of tart pull as a message and bytes', () => {
  assert.equal(after('pulling ghcr.io/a/b:1...', 'pulling manifest...').message, 'contacting the registry');
  assert.equal(after('waiting for lock...').message, 'waiting for another pull from the same registry');
  const half = after('pulling disk (20.0 GB compressed)...', '7%', '50%');
  assert.deepEqual([half.message, pulledBytes(half)], ['50% of 20.0 GB', 10e9]);
  const spared = after(
    'found an image x that will allow us to avoid fetching 15.0 GB, will try',
    'pulling disk (20.0 GB compressed)...',
    '100%',
  );
  assert.equal(pulledBytes(spared), 5e9);
  assert.match(after('Error pulling image: "lost", attempting to re-try...').message, /connection lost \(lost\)/);
});

test('a cached image counts no pulled bytes', () => {
  assert.equal(pulledBytes(after('pulling manifest...', 'ghcr.io/a@sha256:1 image is already cached and linked!')), 0);
});

test('a pull of any length reports progress about ten times, a fast one never', () => {
  const count = (secondsPerPercent: number): number => {
    let reported: ReportedProgress = { at: 0, percent: 0, message: '' };
    let times = 0;
    for (let percent = 1; percent <= 100; percent++) {
      const progress = after('pulling disk (20.0 GB compressed)...', `${percent}%`);
      const now = seconds(percent * secondsPerPercent);
      if (!shouldReport(reported, progress, now)) continue;
      reported = { at: now, percent, message: progress.message };
      times += 1;
    }
    return times;
  };
  assert.deepEqual([count(0.1), count(1), count(10), count(1_000)], [0, 3, 10, 10]);
});
