import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names, type RunnerPool } from '@minifleet/api';
import type { KubeSecret, Pod } from '@minifleet/kube';
import { podOf, poolOf, statusOf } from '../seen.ts';
import { type PoolsSnapshot, violationsAtRest, violationsNow } from './invariants.ts';

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

const healthy: PoolsSnapshot = {
  pools: [pool(1)],
  pods: [pod('a')],
  secrets: [secret('a')],
  registrations: [{ name: 'a' }],
  assignments: [{ job: '1', runner: 'a' }],
  deleted: [{ runner: 'z', withJob: false }],
  created: [{ runner: 'a', alive: 1, desired: 1 }],
  startsWithoutRegistration: [],
  singleController: true,
  configurations: [CONFIGURATION],
  output: ['A runner ended'],
};

const VIOLATIONS: Readonly<Record<string, Partial<PoolsSnapshot>>> = {
  'a took two jobs': {
    assignments: [
      { job: '1', runner: 'a' },
      { job: '2', runner: 'a' },
    ],
  },
  'job 1 was started twice': {
    assignments: [
      { job: '1', runner: 'a' },
      { job: '1', runner: 'b' },
    ],
  },
  'a was deleted while it had a job': { deleted: [{ runner: 'a', withJob: true }] },
  'b was created as one of 2 where 1 are desired': { created: [{ runner: 'b', alive: 2, desired: 1 }] },
  'the VM of a was started with a missing registration': { startsWithoutRegistration: ['a'] },
  'configuration-7 is visible in an object': { secrets: [secret('a', { note: CONFIGURATION })] },
};

const VIOLATIONS_AT_REST: Readonly<Record<string, Partial<PoolsSnapshot>>> = {
  'macos has 1 runners where 2 are desired': { pools: [pool(2)] },
  'Pod b is left': { pods: [pod('a'), pod('b', statusOf('Succeeded', {}))] },
  'Secret b is left': { secrets: [secret('a'), secret('b')] },
  'registration b has neither a Pod nor a Secret': { registrations: [{ name: 'b' }] },
  'the end of z is recorded twice': { pools: [pool(1, { recentEnds: [end('z'), end('z')] })] },
  'configuration-7 was logged': { output: [`it ended: ${Buffer.from(CONFIGURATION).toString('base64')}`] },
};

test('a healthy pool of one runner violates no invariant', () => {
  assert.deepEqual([...violationsNow(healthy), ...violationsAtRest(healthy)], []);
});

test('two concurrent controllers may create and register a runner twice', () => {
  const created = [{ runner: 'b', alive: 2, desired: 1 }];
  assert.deepEqual(
    violationsNow({ ...healthy, created, startsWithoutRegistration: ['a'], singleController: false }),
    [],
  );
});

test('a registration that GitHub keeps is allowed while the pool reports it', () => {
  const [status, type, reason] = ['True', 'ForgeReachable', 'StaleRegistrations'] as const;
  const conditions = [{ type, status, reason, message: 'they are gone: b', lastTransitionTime: '' }];
  const snapshot = { ...healthy, pools: [pool(1, { conditions })], secrets: [secret('a'), secret('b')] };
  assert.deepEqual(violationsAtRest(snapshot), []);
});

for (const [violation, change] of Object.entries(VIOLATIONS))
  test(`pool invariant violated at any time: ${violation}`, () =>
    assert.deepEqual(violationsNow({ ...healthy, ...change }), [violation]));

for (const [violation, change] of Object.entries(VIOLATIONS_AT_REST))
  test(`pool invariant violated at rest: ${violation}`, () => {
    assert.deepEqual(violationsNow({ ...healthy, ...change }), []);
    assert.deepEqual(violationsAtRest({ ...healthy, ...change }), [violation]);
  });
