import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderResourceMetrics } from './resource-metrics.ts';
import type { ResourceSamples } from './samples.ts';
import { renderSummary } from './summary.ts';

const AT = Date.UTC(2030, 0, 1);
const samples: ResourceSamples = {
  node: {
    at: AT,
    startedAt: AT - 3_600_000,
    cpuSeconds: 1234.5,
    cpus: 2.5,
    workingSetBytes: 8_000_000_000,
    availableMemoryBytes: 9,
    filesystem: { capacityBytes: 3, availableBytes: 1, usedBytes: 2 },
  },
  guests: [
    {
      namespace: 'ci',
      pod: 'runner-1',
      uid: 'u1',
      container: 'main',
      at: AT + 7,
      startedAt: AT - 60_000,
      cpuSeconds: 42,
      workingSetBytes: 4_000_000_000,
    },
  ],
};

test('/metrics/resource has the metrics that metrics-server reads, each with its sample time', () => {
  assert.equal(
    renderResourceMetrics(samples).replaceAll(/^# HELP .*\n/gm, ''),
    [
      '# TYPE container_cpu_usage_seconds_total counter',
      `container_cpu_usage_seconds_total{container="main",namespace="ci",pod="runner-1"} 42 ${AT + 7}`,
      '# TYPE container_memory_working_set_bytes gauge',
      `container_memory_working_set_bytes{container="main",namespace="ci",pod="runner-1"} 4000000000 ${AT + 7}`,
      '# TYPE container_start_time_seconds gauge',
      `container_start_time_seconds{container="main",namespace="ci",pod="runner-1"} ${(AT - 60_000) / 1_000} ${AT + 7}`,
      '# TYPE node_cpu_usage_seconds_total counter',
      `node_cpu_usage_seconds_total 1234.5 ${AT}`,
      '# TYPE node_memory_working_set_bytes gauge',
      `node_memory_working_set_bytes 8000000000 ${AT}`,
      '# TYPE pod_cpu_usage_seconds_total counter',
      `pod_cpu_usage_seconds_total{namespace="ci",pod="runner-1"} 42 ${AT + 7}`,
      '# TYPE pod_memory_working_set_bytes gauge',
      `pod_memory_working_set_bytes{namespace="ci",pod="runner-1"} 4000000000 ${AT + 7}`,
      '# TYPE resource_scrape_error gauge',
      'resource_scrape_error 0',
      '',
    ].join('\n'),
  );
});

test('a failed measurement sets resource_scrape_error instead of reporting zeros', () => {
  const text = renderResourceMetrics({ node: undefined, guests: [] });
  assert.match(text, /^resource_scrape_error 1$/m);
  assert.doesNotMatch(text, /node_cpu/);
});

test('/stats/summary has the same samples as JSON', () => {
  const summary = JSON.parse(JSON.stringify(renderSummary(samples, { node: 'mac-1', onlyCpuAndMemory: false })));
  assert.equal(summary.node.nodeName, 'mac-1');
  assert.deepEqual(summary.node.cpu, {
    time: '2030-01-01T00:00:00Z',
    usageNanoCores: 2_500_000_000,
    usageCoreNanoSeconds: 1_234_500_000_000,
  });
  assert.equal(summary.node.fs.usedBytes, 2);
  assert.deepEqual(summary.pods[0].podRef, { name: 'runner-1', namespace: 'ci', uid: 'u1' });
  assert.equal(summary.pods[0].containers[0].memory.workingSetBytes, 4_000_000_000);
  const short = JSON.parse(JSON.stringify(renderSummary(samples, { node: 'mac-1', onlyCpuAndMemory: true })));
  assert.equal(short.node.fs, undefined);
});
