import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { fakeClock } from '@minifleet/clock/testing';
import { openStage, type Theatre } from './stage.ts';

test('a host whose Mac went away meanwhile is named with both names and the next action', () => {
  const theatre = { clock: fakeClock(), world: { hosts: { all: new Map() } } } as unknown as Theatre;
  const stage = openStage(theatre, {
    metadata: { name: 'macos-1' },
    spec: { claimRef: { name: 'srv-7' } },
  } as ScalewayAppleSiliconMachine);
  assert.throws(stage.mac, {
    code: 'HOST_GONE',
    message: /^the Mac srv-7 of macos-1 is not there any more; see minifleet get hosts/,
  });
});
