import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostStep } from '@minifleet/api';
import { escalationOf } from './escalation.ts';

const settings = { rebootAfter: 3, giveUpAfter: 8 };
const failing = (attempts: number, reason: string): HostStep => ({
  ...{ name: 'local-network', state: 'Waiting', attempts, reason },
  lastTransitionTime: '2030-01-01T00:00:00Z',
});

test('what a restart did not help is not restarted for, and given up all the same', () => {
  const at = (attempts: number, reason: string) => escalationOf([failing(attempts, reason)], settings);
  assert.deepEqual([at(3, 'HostCommandFailed'), at(3, 'HostRebootIneffective')], ['restart', 'none']);
  assert.deepEqual([at(7, 'HostRebootIneffective'), at(8, 'HostRebootIneffective')], ['none', 'give up']);
});
