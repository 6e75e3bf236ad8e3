import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds, timestamp } from '@minifleet/clock';
import { NOW, podOf, statusOf } from '../testing/seen.ts';
import { blockedBy, startedSince, unschedulable } from './pod-state.ts';

const waiting = (reason: string, message?: string) =>
  podOf({ node: 'mac-1', status: statusOf('Pending', { waiting: { reason, ...(message ? { message } : {}) } }) });
const minted = NOW;

test('the start timeout does not run during a pull or a wait for slot or registration', () => {
  for (const reason of ['ContainerCreating', 'WaitingForVMSlot', 'CreateContainerConfigError'])
    assert.equal(startedSince(waiting(reason), minted), undefined, reason);
  assert.equal(startedSince(podOf(), minted), undefined);
});

test('the start timeout runs from the VM start, but not before the registration', () => {
  const conditions = [
    { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: timestamp(NOW + seconds(90)) },
  ];
  const booting = waiting('ContainerCreating');
  const pod = { ...booting, status: { ...booting.status, conditions } };
  assert.equal(startedSince(pod, minted), NOW + seconds(90));
  assert.equal(startedSince(pod, NOW + seconds(120)), NOW + seconds(120));
  assert.equal(startedSince(pod, undefined), undefined);
});

test('the start timeout runs while a host blocks the start', () => {
  assert.equal(startedSince(waiting('GUISessionMissing'), minted), minted);
  assert.equal(startedSince(waiting('ImagePullBackOff'), minted), minted);
});

test('a blocked start has the message of the node agent', () => {
  assert.equal(blockedBy(waiting('WaitingForVMSlot', '2 of 2 are taken')), 'WaitingForVMSlot: 2 of 2 are taken');
  assert.equal(blockedBy(waiting('ContainerCreating')), undefined);
});

test('an unschedulable Pod has the message of the scheduler', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }];
  assert.equal(unschedulable(podOf({ status: { phase: 'Pending', conditions } })), '0/3 nodes');
  assert.equal(unschedulable(podOf()), undefined);
});
