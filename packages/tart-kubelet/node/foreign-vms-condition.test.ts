import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestName } from '../guests/guest-name.ts';
import { judgeForeignVms } from './node-conditions.ts';

const vm = (name: string, running: boolean) => ({ name, running, bytes: 0 });
const ours = vm(guestName({ uid: '11111111-1111-4111-8111-111111111111', attempt: 0 }), true);

test('ForeignVMs names the VMs that are not Pods of this node, and the slots they use', () => {
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

test('the ForeignVMs message is short for many VMs and does not depend on their order', () => {
  const many = Array.from({ length: 300 }, (_, index) => vm(`${index}`.padStart(300, 'x'), index % 2 === 0));
  const { message } = judgeForeignVms(many, 2);
  assert.ok(message.length < 1_000, `${message.length}`);
  assert.match(message, / and 145 more; .* and 145 more$/);
  assert.equal(judgeForeignVms(many.toReversed(), 2).message, message);
});
