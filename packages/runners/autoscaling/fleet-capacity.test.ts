import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Node } from '@minifleet/kube';
import { fleetCapacity, troubleOf } from './fleet-capacity.ts';

const small = { podCPUMilli: 4_000, podMemoryMB: 7_168 };
const whole = { podCPUMilli: 8_000, podMemoryMB: 14_336 };
const none = { unschedulable: 0, not_ready: 0, memory_pressure: 0, disk_pressure: 0, pid_pressure: 0 };

function mac(said: Readonly<Record<string, string>> = {}, spec: object = {}): Node {
  const conditions = Object.entries({ Ready: 'True', ...said }).map(([type, status]) => ({ type, status }));
  const allocatable = { cpu: '8', memory: '14Gi', 'minifleet.dev/macos-vm': '2' };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mac' }, spec, status: { conditions, allocatable } };
}

describe('capacity of a fleet', () => {
  test('fleet capacity is the sum of the VM slots of its Macs', () => {
    assert.deepEqual(fleetCapacity([mac(), mac()], small), { slots: 4, ready: 2, filtered: none });
  });

  test('a VM slot counts only if a runner of that size fits', () => {
    assert.equal(fleetCapacity([mac(), mac()], whole).slots, 2);
  });

  test('a Node without the VM slot resource has no capacity', () => {
    const { status, ...node } = mac();
    assert.equal(fleetCapacity([{ ...node, status: { ...status, allocatable: { cpu: '8' } } }], small).slots, 0);
  });

  const troubles: readonly (readonly [string, Node])[] = [
    ['unschedulable', mac({}, { unschedulable: true })],
    ['unschedulable', { ...mac(), metadata: { name: 'mac', deletionTimestamp: '2030-01-01T00:00:00Z' } }],
    ['not_ready', mac({ Ready: 'False' })],
    ['not_ready', mac({ Ready: 'Unknown' })],
    ['memory_pressure', mac({ MemoryPressure: 'True' })],
    ['disk_pressure', mac({ DiskPressure: 'True' })],
    ['pid_pressure', mac({ PIDPressure: 'True' })],
  ];
  for (const [trouble, node] of troubles) {
    test(`a Node counts as ${trouble}, and its slots do not count: ${JSON.stringify([node.metadata, node.spec, node.status?.conditions])}`, () => {
      assert.equal(troubleOf(node), trouble);
      assert.deepEqual(fleetCapacity([node, mac()], small), {
        slots: 2,
        ready: 1,
        filtered: { ...none, [trouble]: 1 },
      });
    });
  }
});
