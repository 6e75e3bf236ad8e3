import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { fakeClock } from '@minifleet/clock/testing';
import { type FaultEnv, openTarget } from './fault-target.ts';

test('HOST_GONE names the host, its server and the next action', () => {
  const env = { clock: fakeClock(), world: { hosts: { all: new Map() } } } as unknown as FaultEnv;
  const target = openTarget(env, {
    metadata: { name: 'macos-1' },
    spec: { claimRef: { name: 'srv-7' } },
  } as ScalewayAppleSiliconMachine);
  assert.throws(target.mac, {
    code: 'HOST_GONE',
    message: /^macos-1: server srv-7 no longer exists; run minifleet get hosts/,
  });
});
