import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestamp } from '@minifleet/clock';
import { FORGE_UNAVAILABLE } from '@minifleet/forges';
import { IMAGE, NOW, podOf, poolOf, runnerOf, statusOf } from '../testing/seen.ts';
import { type WhyView, whyJobsWait } from './why-jobs-wait.ts';

const why = (more: Partial<WhyView>) => {
  const view = { pool: poolOf({ replicas: 2 }), runners: [], trouble: undefined, refused: undefined, now: NOW };
  const { reason, message } = whyJobsWait({ ...view, ...more });
  return `${reason}: ${message}`;
};

test('nothing is said while every wanted runner is online', () => {
  assert.equal(why({ runners: [runnerOf('idle'), runnerOf('busy')] }), 'Ready: ');
  assert.equal(why({ pool: poolOf({ replicas: 0 }) }), 'Ready: ');
});

test('a full fleet is told in the scheduler’s words', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }];
  const runners = [runnerOf('busy'), runnerOf('pending', { pod: podOf({ status: { phase: 'Pending', conditions } }) })];
  assert.equal(why({ runners }), 'NoPlace: 1 of 2 runners are missing: no Mac has room: 0/3 nodes are available');
});

test('a host that starts no VM is named with what its agent says', () => {
  const status = statusOf('Pending', { waiting: { reason: 'GUISessionMissing', message: 'nobody is logged in' } });
  const runners = [runnerOf('starting', { pod: podOf({ node: 'mac-1', status }) })];
  const said = 'mac-1 says GUISessionMissing: nobody is logged in';
  assert.equal(why({ runners }), `HeldUp: 2 of 2 runners are missing: ${said}`);
});

test('an image that fails is told with its last end', () => {
  const crashes = { image: IMAGE, failures: 3, retryAfter: timestamp(NOW + 1_000) };
  const end = { runner: 'a', image: IMAGE, outcome: 'Crashed', reason: 'Error', endedAt: timestamp(NOW) } as const;
  const pool = poolOf({ replicas: 1 }, { crashes, recentEnds: [end] });
  assert.match(why({ pool }), /^CrashBackOff: 1 of 1 .* 3 times in a row, the last one as Crashed \(Error\)$/);
  assert.match(why({ pool, now: NOW + 1_000 }), /^Starting/);
});

test('trouble with the forge comes first, with its own sentence', () => {
  const trouble = FORGE_UNAVAILABLE({ forge: 'github', call: 'runners', why: 'no answer' });
  assert.match(why({ trouble }), /^ForgeTrouble: 2 of 2 runners are missing: github: runners failed/);
});

test('what the API server refuses is told', () => {
  assert.match(why({ refused: 'exceeded quota' }), /^HeldUp: .*exceeded quota$/);
});

test('a runner that its forge does not hear is named', () => {
  assert.match(why({ runners: [runnerOf('lost', { name: 'pool-1' })] }), /^LostContact: .* hear pool-1$/);
});

test('a pool of another system is taken, and says that it is not run', () => {
  assert.match(why({ pool: poolOf({ replicas: 2, os: 'linux' }) }), /^OSNotSupported: pools of linux are not run/);
});
