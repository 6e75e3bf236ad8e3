import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestName } from '../guests/guest-name.ts';
import { classifyVms, countSlots, vmDecisions } from './classify-vms.ts';

const UID = '11111111-1111-4111-8111-111111111111';
const id = { uid: UID, attempt: 0 };
const ours = guestName(id);

test('garbage collection removes only owned VMs without a record and without a Pod', () => {
  const removing = Object.entries(vmDecisions).flatMap(([row, fates]) =>
    Object.entries(fates).flatMap(([pod, fate]) => (fate === 'remove' ? [`${row} ${pod}`] : [])),
  );
  assert.deepEqual(removing, ['unrecorded gone']);
});

test('I28 a VM name that does not parse is foreign, however similar it looks', () => {
  const names = [
    'tuist-runner',
    'pod-x-0',
    `pod-${UID}`,
    `pod-${UID}-01`,
    `pod-${UID}-0-copy`,
    `Pod-${UID}-0`,
    `${UID}-0`,
  ];
  const vms = names.map(name => ({ name, running: false, bytes: 0 }));
  const fates = classifyVms({ vms, guests: [], podUids: new Set() }).map(({ decision }) => decision);
  assert.deepEqual(new Set(fates), new Set(['report']));
});

test('a record or a Pod keeps an owned VM', () => {
  const fate = (guests: (typeof id)[], pods: string[]) =>
    classifyVms({ vms: [{ name: ours, running: true, bytes: 0 }], guests, podUids: new Set(pods) })[0]?.decision;
  assert.deepEqual(
    [fate([id], [UID]), fate([id], []), fate([], [UID]), fate([], [])],
    ['keep', 'wait', 'keep', 'remove'],
  );
  assert.equal(fate([{ uid: UID, attempt: 1 }], []), 'remove', 'another attempt’s record does not keep it');
});

test('only running foreign VMs use slots, and free slots never go below zero', () => {
  const vms = [
    { name: ours, running: true, bytes: 0 },
    { name: 'packer', running: true, bytes: 0 },
    { name: 'stopped', running: false, bytes: 0 },
  ];
  assert.deepEqual(countSlots(vms, 2), { used: 1, foreign: 1, free: 0 });
  assert.deepEqual(countSlots(vms, 1), { used: 1, foreign: 1, free: 0 });
  assert.deepEqual(countSlots([], 2), { used: 0, foreign: 0, free: 2 });
});
