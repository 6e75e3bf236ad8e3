import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { setCondition } from '@minifleet/kube';
import { machineEvents } from './machine-events.ts';
import { scopeOf } from './testing/scope-of.ts';

type Said = readonly [type: string, status: 'True' | 'False', reason: string];

function machineWith(...conditions: readonly Said[]) {
  const { machine } = scopeOf();
  for (const [type, status, reason] of conditions) {
    setCondition(machine, { type, status, reason, message: 'words' }, fakeClock());
  }
  return machine;
}

const table: readonly (readonly [string, readonly Said[], readonly Said[], readonly string[]])[] = [
  ['what comes to hold is announced', [], [['HostClaimed', 'True', 'HostClaimed']], ['Normal Adopted']],
  ['what goes on holding is not', [['NodeReady', 'True', 'NodeReady']], [['NodeReady', 'True', 'NodeReady']], []],
  [
    'what only a person can end is a warning',
    [],
    [['HostClaimed', 'False', 'NoHostAvailable']],
    ['Warning NoHostAvailable'],
  ],
  [
    'it is not said again while it lasts',
    [['HostClaimed', 'False', 'NoHostAvailable']],
    [['HostClaimed', 'False', 'NoHostAvailable']],
    [],
  ],
  [
    'another reason is news',
    [['HostClaimed', 'False', 'NoHostAvailable']],
    [['HostClaimed', 'False', 'ClaimConflict']],
    ['Warning ClaimConflict'],
  ],
  ['an ordinary wait is none', [], [['NodeReady', 'False', 'WaitingForNode']], []],
  ['a pause is', [['Paused', 'False', 'NotPaused']], [['Paused', 'True', 'Paused']], ['Normal Paused']],
];

for (const [name, before, after, events] of table) {
  test(`of events: ${name}`, () => {
    const said = machineEvents(machineWith(...before), machineWith(...after)).map(
      ({ type, reason }) => `${type} ${reason}`,
    );
    assert.deepEqual(said, events);
  });
}
