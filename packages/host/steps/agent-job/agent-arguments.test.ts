import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentArguments } from './agent-launchd-job.ts';

const spec = { nodeName: 'mini-01', kubeconfig: '/etc/tart-kubelet/kubeconfig', labels: {}, role: 'node' } as const;

test('a node gets its name, its kubeconfig and what the host offers', () => {
  assert.deepEqual(agentArguments(spec), [
    '--node-name=mini-01',
    '--kubeconfig=/etc/tart-kubelet/kubeconfig',
    '--host-cpu=8',
    '--host-memory-mb=16384',
    '--max-pods=3',
  ]);
  assert.deepEqual(agentArguments({ ...spec, hostCpu: 10, hostMemoryMb: 32_768, maxPods: 0 }).slice(2), [
    '--host-cpu=10',
    '--host-memory-mb=32768',
    '--max-pods=3',
  ]);
});

test('labels are sorted, so that the same labels are the same flag', () => {
  const labels = { 'tuist.dev/runtime': 'tart', 'tuist.dev/fleet': 'runners' };
  assert.ok(
    agentArguments({ ...spec, labels }).includes('--node-labels=tuist.dev/fleet=runners,tuist.dev/runtime=tart'),
  );
});

test('the provider’s id is a flag when there is one', () => {
  const providerId = 'scw-applesilicon://fr-par-1/4a6d';
  assert.ok(agentArguments({ ...spec, providerId }).includes(`--provider-id=${providerId}`));
  assert.ok(!agentArguments({ ...spec, providerId: '' }).some(flag => flag.startsWith('--provider-id')));
});

test('a builder’s Node is born with a taint of its own, so that no Pod comes to it; a node’s is not', () => {
  const taint = '--register-with-taints=minifleet.dev/builder=true:NoSchedule';
  assert.ok(agentArguments({ ...spec, role: 'builder' }).includes(taint));
  assert.ok(!agentArguments(spec).includes(taint));
});

test('I29 a builder never collects VMs, whatever else is said of it; a node does', () => {
  for (const more of [{}, { labels: { a: 'b' } }, { providerId: 'x' }, { hostCpu: 4 }])
    assert.ok(agentArguments({ ...spec, ...more, role: 'builder' }).includes('--disable-vm-gc'));
  assert.ok(!agentArguments(spec).includes('--disable-vm-gc'));
});
