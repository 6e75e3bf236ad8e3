import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runnerPool } from '@minifleet/api';
import { quantityOr } from '@minifleet/kube';
import { defaultCatalogue } from '@minifleet/world/testing/scaleway';
import { factsForTests, statusForTests } from './testing/node-for-tests.ts';

const GIB = 2 ** 30;

/** Every model of the vendor's list, and sizes of Macs that companies own. The vendor counts in gigabytes, macOS in GiB. */
const MODELS: readonly { readonly name: string; readonly cores: number; readonly gigabytes: number }[] = [
  ...defaultCatalogue.serverTypes.map(({ name, cpu, memory }) => ({
    ...{ name, cores: cpu.cores, gigabytes: memory.bytes / 1_000_000_000 },
  })),
  { name: 'Mac mini M1', cores: 8, gigabytes: 16 },
  { name: 'Mac mini M2', cores: 8, gigabytes: 24 },
  { name: 'Mac mini M4', cores: 10, gigabytes: 24 },
  { name: 'Mac Studio', cores: 24, gigabytes: 192 },
];

const { podCPUMilli, podMemoryMB } = runnerPool.withDefaults({
  apiVersion: 'tuist.dev/v1alpha1',
  kind: 'RunnerPool',
  metadata: { name: 'pool', namespace: 'runners' },
  spec: { ...runnerPool.example.spec, podCPUMilli: undefined, podMemoryMB: undefined },
}).spec;

for (const { name, cores, gigabytes } of MODELS) {
  const fits = gigabytes >= 16 ? 2 : 0;
  test(`${fits} runners of the default size run on a ${name} with ${gigabytes} GB`, () => {
    const facts = { ...factsForTests, cpus: cores, memoryBytes: gigabytes * GIB };
    const { allocatable } = statusForTests({ facts });
    const room = (resource: string): number => quantityOr(allocatable[resource], 0);
    const byMemory = room('memory') / (podMemoryMB * 2 ** 20);
    const byCPU = room('cpu') / (podCPUMilli / 1_000);
    assert.equal(Math.floor(Math.min(room('minifleet.dev/macos-vm'), byMemory, byCPU)), fits);
    assert.equal(room('memory'), (gigabytes - 2) * GIB, 'macOS keeps 2 GiB');
  });
}
