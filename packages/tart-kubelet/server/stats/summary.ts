/** GET /stats/summary: the same samples as JSON. */
import { timestamp } from '@minifleet/clock';
import type { Filesystem, GuestSample, NodeSample, ResourceSamples, ResourceUsage } from './samples.ts';

interface SummaryOptions {
  readonly node: string;
  readonly onlyCpuAndMemory: boolean;
}

export function renderSummary({ node, guests }: ResourceSamples, options: SummaryOptions): object {
  return {
    node: node ? nodeSummary(node, options) : { nodeName: options.node },
    pods: guests.map(podSummary),
  };
}

function nodeSummary(sample: NodeSample, { node, onlyCpuAndMemory }: SummaryOptions): object {
  const basics = {
    nodeName: node,
    startTime: timestamp(sample.startedAt),
    cpu: cpu(sample),
    memory: { ...memory(sample), availableBytes: sample.availableMemoryBytes },
  };
  if (onlyCpuAndMemory) return basics;
  const images = sample.images ?? sample.filesystem;
  return {
    ...basics,
    fs: sample.filesystem && filesystem(sample.filesystem, sample.at),
    runtime: images && { imageFs: filesystem(images, sample.at) },
  };
}

function podSummary(sample: GuestSample): object {
  const startTime = timestamp(sample.startedAt);
  return {
    podRef: { name: sample.pod, namespace: sample.namespace, uid: sample.uid },
    startTime,
    containers: [{ name: sample.container, startTime, cpu: cpu(sample), memory: memory(sample) }],
    cpu: cpu(sample),
    memory: memory(sample),
  };
}

const cpu = ({ at, cpus, cpuSeconds }: ResourceUsage): object => ({
  time: timestamp(at),
  usageNanoCores: cpus === undefined ? undefined : Math.round(cpus * 1e9),
  usageCoreNanoSeconds: Math.round(cpuSeconds * 1e9),
});

const memory = ({ at, workingSetBytes }: ResourceUsage): object => ({
  time: timestamp(at),
  usageBytes: workingSetBytes,
  workingSetBytes,
});

const filesystem = (of: Filesystem, at: number): object => ({ time: timestamp(at), ...of });
