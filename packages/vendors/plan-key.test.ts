import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planKey, type VendorKey } from './plan-key.ts';

const MINE = 'ssh-ed25519 AAAAC3Nza-mine';
const wanted = { name: 'fleet', publicKey: `${MINE} tuist-capi-fleet` };
const key = (id: string, name: string, publicKey: string, disabled = false): VendorKey => ({
  id,
  name,
  publicKey,
  disabled,
});
const summary = (keys: readonly VendorKey[]) => {
  const { present, stale, outcome } = planKey(wanted, keys);
  return [present?.id, stale.map(({ id }) => id), outcome];
};

test('a missing SSH key is created', () => {
  assert.deepEqual(summary([key('a', 'other', 'ssh-ed25519 BBBB')]), [undefined, [], 'created']);
});

test('an SSH key is equal by type and blob, regardless of comment, spaces and name', () => {
  assert.deepEqual(summary([key('a', 'other', `${MINE}`)]), ['a', [], 'present']);
  assert.deepEqual(summary([key('a', 'fleet', `  ${MINE.replace(' ', '   ')}   x y\n`)]), ['a', [], 'present']);
});

test('an SSH key with the same blob and another type is another key', () => {
  assert.deepEqual(summary([key('a', 'other', MINE.replace('ssh-ed25519', 'ssh-rsa'))]), [undefined, [], 'created']);
});

test('another SSH key of the same name is replaced', () => {
  assert.deepEqual(summary([key('a', 'fleet', 'ssh-ed25519 BBBB')]), [undefined, ['a'], 'replaced']);
});

test('keys left behind by an interrupted replacement are removed, and the SSH key stays', () => {
  const keys = [key('a', 'fleet', 'ssh-ed25519 BBBB'), key('b', 'fleet', MINE), key('c', 'fleet', MINE)];
  assert.deepEqual(summary(keys), ['b', ['a'], 'replaced']);
});

test('of two equal SSH keys the enabled one is used', () => {
  assert.deepEqual(summary([key('a', 'fleet', MINE, true), key('b', 'fleet', MINE)]), ['b', [], 'present']);
});
