import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestName } from '../guests/guest-name.ts';
import { judgeForeignVms } from './node-conditions.ts';

const vm = (name: string, running: boolean) => ({ name, running, bytes: 0 });
const ours = vm(guestName({ uid: '11111111-1111-4111-8111-111111111111', attempt: 0 }), true);

test('VMs of others are named, with the slots they take; guests of this node are not', () => {
  assert.deepEqual(judgeForeignVms([ours], 2), {
    status: 'False',
    reason: 'NoForeignVMs',
    message: 'all VMs on this host are Pods of this node',
  });
  assert.deepEqual(judgeForeignVms([vm('packer', true), ours, vm('base', false)], 2), {
    status: 'True',
    reason: 'ForeignVMsRunning',
    message: '1 of 2 VM slots are used by foreign VMs: packer; stopped foreign VMs: base',
  });
  assert.deepEqual(judgeForeignVms([ours, vm('base', false)], 2), {
    status: 'True',
    reason: 'ForeignVMsStopped',
    message: 'stopped foreign VMs: base',
  });
});

test('however many and however long, the names stay a short list, and the same VMs give the same words', () => {
  const many = Array.from({ length: 300 }, (_, index) => vm(`${index}`.padStart(300, 'x'), index % 2 === 0));
  const { message } = judgeForeignVms(many, 2);
  assert.ok(message.length < 1_000, `${message.length}`);
  assert.match(message, / and 145 more; .* and 145 more$/);
  assert.equal(judgeForeignVms(many.toReversed(), 2).message, message);
});
