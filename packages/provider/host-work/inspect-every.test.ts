import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds, minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { setCondition } from '@minifleet/kube';
import { inspectEvery } from './inspect-every.ts';
import { machineNamed } from './testing/machine.ts';

const never = milliseconds(0);

const rows = [
  ['as often as usual', 'RunnerOnline', minutes(10), minutes(10)],
  ['never where that is usual', 'NotABuilder', never, never],
  ['as often as usual while the forge cannot be asked', 'ForgeUnavailable', minutes(10), minutes(10)],
  ['every minute while the forge has no runner of it', 'RunnerNotRegistered', minutes(10), minutes(1)],
  ['every minute while its runner is offline, also where it never is otherwise', 'RunnerOffline', never, minutes(1)],
  ['no less often than usual then', 'RunnerOffline', seconds(10), seconds(10)],
] as const;

for (const [how, reason, usual, expected] of rows)
  test(`a host is looked at ${how}`, () => {
    const samm = machineNamed('mini-01');
    setCondition(samm, { type: 'BuilderRunnerOnline', status: 'False', reason }, fakeClock());
    assert.equal(inspectEvery(samm, usual), expected);
  });
