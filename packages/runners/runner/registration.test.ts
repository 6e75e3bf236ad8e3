import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import type { RunnerList } from '@minifleet/forges';
import type { KubeSecret } from '@minifleet/kube';
import { NOW, unregistered } from '../testing/seen.ts';
import { readRegistration, registrationState } from './registration.ts';

const account = (more: Partial<RunnerList> = {}): RunnerList => ({
  ...{ listedAt: NOW, runners: new Map(), absent: new Set<string>() },
  ...more,
});
const listed = (state: 'online' | 'offline', busy = false) => account({ runners: new Map([['a', { state, busy }]]) });
const minted = { ...unregistered, id: 7, mintedAt: NOW - 60_000 };
const sight = (of: Partial<RunnerList>, registration = minted) => registrationState('a', registration, account(of));

test('a runner that was never registered has no registration, whatever the list says', () => {
  assert.equal(registrationState('a', unregistered, listed('online')), 'none');
});

test('a listed runner is idle, busy, offline, or cut after it was online', () => {
  assert.equal(sight(listed('online')), 'idle');
  assert.equal(sight(listed('online', true)), 'busy');
  assert.equal(sight(listed('offline')), 'offline');
  assert.equal(sight(listed('offline', true)), 'busy');
  assert.equal(sight(listed('offline'), { ...minted, onlineSince: NOW }), 'cut');
});

test('a runner missing from a list is absent only after a lookup by name', () => {
  assert.equal(sight({}), 'unknown');
  assert.equal(sight({ absent: new Set(['a']) }), 'absent');
});

test('a runner registered after the list was requested counts as offline', () => {
  assert.equal(sight({ listedAt: NOW - 60_001 }), 'offline');
});

test('before the first list a registration is unknown', () => {
  assert.equal(sight({ listedAt: undefined }), 'unknown');
});

test('a registration is read from the Secret, and a non-number is no id', () => {
  const { runnerID, mintedAt, runnerNode } = names.annotations;
  const secret = (id: string): KubeSecret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', annotations: { [runnerID]: id, [mintedAt]: timestamp(NOW), [runnerNode]: 'mac-1' } },
  });
  const { id, mintedAt: at, node } = readRegistration(secret('42'));
  assert.deepEqual([id, at, node], [42, NOW, 'mac-1']);
  assert.equal(readRegistration(secret('')).id, undefined);
  assert.deepEqual(readRegistration(undefined), unregistered);
});
