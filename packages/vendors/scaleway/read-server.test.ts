import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import { readServer } from './read-server.ts';

type Raw = Applesiliconv1alpha1.Server;

const raw = (changes: Partial<Raw>): Raw => ({
  id: '8F14E45F-CEEA-467F-A0E6-2B1C9D3F7A11',
  type: 'M2-L',
  name: 'pool-1',
  projectId: '',
  organizationId: '',
  ip: '203.0.113.7',
  vncUrl: 'vnc://m1:kept@203.0.113.7:59010',
  sshUsername: 'm1',
  sudoPassword: '<sealed>',
  vncPort: 59_010,
  status: 'ready',
  deletionScheduled: false,
  zone: 'fr-par-1',
  delivered: true,
  vpcStatus: 'vpc_disabled',
  publicBandwidthBps: 0,
  tags: [],
  ...changes,
});

test('a Scaleway server id is converted to lower case', () => {
  assert.equal(readServer(raw({})).id, '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11');
});

test('the screen address of a Scaleway server has no password, and the password is not printed', () => {
  const server = readServer(raw({}));
  assert.equal(server.screen, '203.0.113.7:59010');
  assert.equal(server.password?.reveal().toString(), 'kept');
  assert.doesNotMatch(JSON.stringify(server), /kept/);
});

test('a Scaleway server that is not delivered has no address and is busy', () => {
  const { address, screen, state, stateWord } = readServer(raw({ delivered: false }));
  assert.deepEqual([address, screen, state, stateWord], [undefined, undefined, 'busy', 'ready']);
});

test('order and return times of a Scaleway server are set if the vendor returns them', () => {
  const times = { createdAt: new Date(1_000), deletableAt: new Date(86_401_000) };
  const { orderedAt, returnableAt } = readServer(raw(times));
  assert.deepEqual([orderedAt, returnableAt], [1_000, 86_401_000]);
  assert.deepEqual(Object.keys(readServer(raw({}))).includes('orderedAt'), false);
});

test('every Scaleway status maps to a state; an unknown status is busy', () => {
  const states: Readonly<Record<string, readonly string[]>> = {
    ready: ['ready'],
    busy: ['starting', 'rebooting', 'updating', 'unlocking', 'reinstalling', 'busy', 'unknown_status', 'of_next_year'],
    broken: ['error', 'locking', 'locked'],
  };
  for (const [state, statuses] of Object.entries(states)) {
    for (const status of statuses)
      assert.equal(readServer(raw({ status: status as Raw['status'] })).state, state, status);
  }
});
