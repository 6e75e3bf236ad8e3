import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { emptyReport } from '../gc/collector.ts';
import { accountDisk } from '../images/disk-account.ts';
import { createAgentMetrics } from './agent-metrics.ts';
import { stageTimes, watchStarts } from './start-stages.ts';

const space = { totalBytes: 5, freeBytes: 2 };
const account = accountDisk({ space, images: [], vms: [], owned: new Map(), promisedBytes: 0 });

const shown = async (metrics: ReturnType<typeof createAgentMetrics>): Promise<string[]> =>
  (await metrics.kube.registry.metrics()).split('\n').filter(line => line.startsWith('tart_kubelet_'));

test('the agent serves metrics of guests, slots, pulls, starts, garbage collection and its log', async () => {
  const metrics = createAgentMetrics();
  metrics.slots({ used: 1, foreign: 1, free: 0 });
  metrics.guests([]);
  metrics.pulled({ image: 'x', error: undefined, seconds: 12, bytes: 20e9 });
  const byKind = { vms: ['a'], images: ['b', 'c'], leftovers: [] };
  metrics.collected({ ...emptyReport('interval'), byKind, freedBytes: 5 });
  metrics.foreignVms(1);
  metrics.follow({ disk: () => ({ ...account, promisedBytes: 7 }), lostLogLines: () => 3 });
  metrics.guiSession(true);
  const lines = await shown(metrics);
  for (const line of [
    'tart_kubelet_guests{state="running"} 0',
    'tart_kubelet_vm_slots{use="foreign"} 1',
    'tart_kubelet_image_pull_bytes_total 20000000000',
    'tart_kubelet_image_pull_seconds_sum{result="pulled"} 12',
    'tart_kubelet_gc_removed_total{kind="images"} 2',
    'tart_kubelet_gc_freed_bytes_total 5',
    'tart_kubelet_foreign_vms 1',
    'tart_kubelet_gui_session_ready 1',
    'tart_kubelet_disk_bytes{part="others"} 3',
    'tart_kubelet_disk_bytes{part="promised"} 7',
    'tart_kubelet_log_lines_lost 3',
  ]) {
    assert.ok(lines.includes(line), line);
  }
  assert.match(await metrics.kube.registry.metrics(), /rest_client_requests_total/);
});

test('counters of the agent exist with 0 from the start', async () => {
  const lines = await shown(createAgentMetrics());
  assert.ok(lines.includes('tart_kubelet_gc_passes_total{reason="no space"} 0'));
  assert.ok(lines.includes('tart_kubelet_pod_start_seconds_count{stage="boot"} 0'));
});

test('the time to Running is reported by stage, once per Pod, for Pods observed from their start', async () => {
  const clock = fakeClock();
  const reported: unknown[] = [];
  const starts = watchStarts(clock, times => reported.push(times));
  starts.bound('a');
  await clock.advance(seconds(1));
  starts.reached('a', 'image');
  await clock.advance(seconds(2));
  starts.reached('a', 'image');
  starts.reached('a', 'running');
  starts.reached('a', 'running');
  starts.reached('found running', 'running');
  assert.deepEqual(reported, [
    [
      { stage: 'image', seconds: 1 },
      { stage: 'running', seconds: 2 },
      { stage: 'total', seconds: 3 },
    ],
  ]);
});

test('a stage has the duration 0 if the clock was set back', () => {
  assert.deepEqual(stageTimes({ boundAt: 10_000, reached: { running: 5_000 } }), [
    { stage: 'running', seconds: 0 },
    { stage: 'total', seconds: 0 },
  ]);
});
