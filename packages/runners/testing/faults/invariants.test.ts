import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names, type RunnerPool } from '@minifleet/api';
import type { KubeSecret, Pod } from '@minifleet/kube';
import { podOf, poolOf, statusOf } from '../seen.ts';
import { type PoolsSeen, wrongAtRest, wrongNow } from './invariants.ts';

const CONFIGURATION = 'configuration-7';

function pod(name: string, status?: Pod['status']): Pod {
  const made = podOf({ name, ...(status ? { status } : {}) });
  return { ...made, metadata: { ...made.metadata, labels: { [names.labels.runnerPool]: 'macos' } } };
}

function pool(replicas: number, status: RunnerPool['status'] = {}): RunnerPool {
  const made = poolOf({ replicas }, status);
  return { ...made, metadata: { ...made.metadata, name: 'macos' } };
}

const secret = (name: string, annotations: Record<string, string> = {}): KubeSecret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, annotations },
  data: { jitconfig: Buffer.from(CONFIGURATION).toString('base64') },
});

const end = (runner: string) => ({ runner, outcome: 'JobDone', reason: 'Completed', image: 'x', endedAt: '' }) as const;

const fine: PoolsSeen = {
  pools: [pool(1)],
  pods: [pod('a')],
  secrets: [secret('a')],
  registrations: [{ name: 'a' }],
  runs: [{ job: '1', runner: 'a' }],
  deleted: [{ runner: 'z', withJob: false }],
  made: [{ runner: 'a', alive: 1, wanted: 1 }],
  startedInVain: [],
  alone: true,
  configurations: [CONFIGURATION],
  words: ['A runner ended'],
};

const WRONG: Readonly<Record<string, Partial<PoolsSeen>>> = {
  'a took two jobs': {
    runs: [
      { job: '1', runner: 'a' },
      { job: '2', runner: 'a' },
    ],
  },
  'the job 1 was begun twice': {
    runs: [
      { job: '1', runner: 'a' },
      { job: '1', runner: 'b' },
    ],
  },
  'a was deleted while it had a job': { deleted: [{ runner: 'a', withJob: true }] },
  'b was made as one of 2 where 1 are desired': { made: [{ runner: 'b', alive: 2, wanted: 1 }] },
  'the VM of a was started with a registration that is gone': { startedInVain: ['a'] },
  'configuration-7 is visible in an object': { secrets: [secret('a', { note: CONFIGURATION })] },
};

const WRONG_AT_REST: Readonly<Record<string, Partial<PoolsSeen>>> = {
  'macos has 1 runners and wants 2': { pools: [pool(2)] },
  'the Pod b is left': { pods: [pod('a'), pod('b', statusOf('Succeeded', {}))] },
  'the Secret b is left': { secrets: [secret('a'), secret('b')] },
  'the registration b is nobody’s': { registrations: [{ name: 'b' }] },
  'the end of z is recorded twice': { pools: [pool(1, { recentEnds: [end('z'), end('z')] })] },
  'configuration-7 was logged': { words: [`it ended: ${Buffer.from(CONFIGURATION).toString('base64')}`] },
};

test('a healthy pool of one runner violates no invariant', () => {
  assert.deepEqual([...wrongNow(fine), ...wrongAtRest(fine)], []);
});

test('two concurrent programs may create and register a runner twice', () => {
  const made = [{ runner: 'b', alive: 2, wanted: 1 }];
  assert.deepEqual(wrongNow({ ...fine, made, startedInVain: ['a'], alone: false }), []);
});

test('a registration that GitHub keeps is allowed while the pool reports it', () => {
  const [status, type, reason] = ['True', 'ForgeReachable', 'StaleRegistrations'] as const;
  const conditions = [{ type, status, reason, message: 'they are gone: b', lastTransitionTime: '' }];
  const seen = { ...fine, pools: [pool(1, { conditions })], secrets: [secret('a'), secret('b')] };
  assert.deepEqual(wrongAtRest(seen), []);
});

for (const [words, change] of Object.entries(WRONG))
  test(`invariant violated at any time: ${words}`, () => assert.deepEqual(wrongNow({ ...fine, ...change }), [words]));

for (const [words, change] of Object.entries(WRONG_AT_REST))
  test(`invariant violated at rest: ${words}`, () => {
    assert.deepEqual(wrongNow({ ...fine, ...change }), []);
    assert.deepEqual(wrongAtRest({ ...fine, ...change }), [words]);
  });
