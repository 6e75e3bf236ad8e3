import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentArguments } from './agent-launchd-job.ts';

const spec = { nodeName: 'mini-01', kubeconfig: '/etc/tart-kubelet/kubeconfig', labels: {}, role: 'node' } as const;

test('agent arguments contain a capacity only if the fleet file or the machine sets one', () => {
  for (const unset of [{}, { hostCpu: 0, hostMemoryMb: 0 }])
    assert.deepEqual(agentArguments({ ...spec, ...unset }), [
      '--node-name=mini-01',
      '--kubeconfig=/etc/tart-kubelet/kubeconfig',
      '--max-pods=3',
    ]);
  assert.deepEqual(agentArguments({ ...spec, hostCpu: 10, hostMemoryMb: 32_768, maxPods: 0 }).slice(2), [
    '--host-cpu=10',
    '--host-memory-mb=32768',
    '--max-pods=3',
  ]);
});

test('agent arguments sort labels, so that the flag is deterministic', () => {
  const labels = { 'tuist.dev/runtime': 'tart', 'tuist.dev/fleet': 'runners' };
  assert.ok(
    agentArguments({ ...spec, labels }).includes('--node-labels=tuist.dev/fleet=runners,tuist.dev/runtime=tart'),
  );
});

test('the provider id is an agent flag if set', () => {
  const providerId = 'scw-applesilicon://fr-par-1/4a6d';
  assert.ok(agentArguments({ ...spec, providerId }).includes(`--provider-id=${providerId}`));
  assert.ok(!agentArguments({ ...spec, providerId: '' }).some(flag => flag.startsWith('--provider-id')));
});

test('a builder registers with a taint that keeps Pods away, a node does not', () => {
  const taint = '--register-with-taints=minifleet.dev/builder=true:NoSchedule';
  assert.ok(agentArguments({ ...spec, role: 'builder' }).includes(taint));
  assert.ok(!agentArguments(spec).includes(taint));
});

test('I29 a builder never garbage-collects VMs, a node does', () => {
  for (const more of [{}, { labels: { a: 'b' } }, { providerId: 'x' }, { hostCpu: 4 }])
    assert.ok(agentArguments({ ...spec, ...more, role: 'builder' }).includes('--disable-vm-gc'));
  assert.ok(!agentArguments(spec).includes('--disable-vm-gc'));
});
