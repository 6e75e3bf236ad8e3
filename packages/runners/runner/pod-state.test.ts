import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds, timestamp } from '@minifleet/clock';
import { NOW, podOf, statusOf } from '../testing/seen.ts';
import { blockedBy, startedSince, unschedulable } from './pod-state.ts';

const waiting = (reason: string, message?: string) =>
  podOf({ node: 'mac-1', status: statusOf('Pending', { waiting: { reason, ...(message ? { message } : {}) } }) });
const minted = NOW;

test('the clock of a start does not run while an image is pulled, a slot or the registration is waited for', () => {
  for (const reason of ['ContainerCreating', 'WaitingForVMSlot', 'CreateContainerConfigError'])
    assert.equal(startedSince(waiting(reason), minted), undefined, reason);
  assert.equal(startedSince(podOf(), minted), undefined);
});

test('it runs from the moment the VM was started, and not before the runner was registered', () => {
  const conditions = [
    { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: timestamp(NOW + seconds(90)) },
  ];
  const booting = waiting('ContainerCreating');
  const pod = { ...booting, status: { ...booting.status, conditions } };
  assert.equal(startedSince(pod, minted), NOW + seconds(90));
  assert.equal(startedSince(pod, NOW + seconds(120)), NOW + seconds(120));
  assert.equal(startedSince(pod, undefined), undefined);
});

test('it runs while a host holds the start up, for another may do better', () => {
  assert.equal(startedSince(waiting('GUISessionMissing'), minted), minted);
  assert.equal(startedSince(waiting('ImagePullBackOff'), minted), minted);
});

test('what holds a start up is told in the agent’s words', () => {
  assert.equal(blockedBy(waiting('WaitingForVMSlot', '2 of 2 are taken')), 'WaitingForVMSlot: 2 of 2 are taken');
  assert.equal(blockedBy(waiting('ContainerCreating')), undefined);
});

test('what the scheduler misses is told in its words', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }];
  assert.equal(unschedulable(podOf({ status: { phase: 'Pending', conditions } })), '0/3 nodes');
  assert.equal(unschedulable(podOf()), undefined);
});
