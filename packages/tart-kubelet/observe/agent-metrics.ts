import { createMetrics, type Metrics } from '@minifleet/kube';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { VmSlots } from '../gc/classify-vms.ts';
import type { CollectionReport } from '../gc/collector.ts';
import type { Guest, GuestState } from '../guests/guest.ts';
import type { DiskAccount } from '../images/disk-account.ts';
import type { PullReport } from '../images/pulls.ts';
import { START_STAGES, type StageTime } from './start-stages.ts';

const PULL_BUCKETS = [0.25, 1, 5, 15, 30, 60, 120, 300, 600, 1_200, 2_400, 4_800];
const STAGE_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_280];
const PHASES: readonly GuestState['phase'][] = ['creating', 'starting', 'running', 'exited'];

/** What the agent counts, beside a controller's metrics, in one registry. Labels are words of ours only: their number is fixed. */
export interface AgentMetrics {
  readonly kube: Metrics;
  guests(all: readonly Guest[]): void;
  slots(slots: VmSlots): void;
  foreignVms(count: number): void;
  pulled(pull: PullReport): void;
  started(times: readonly StageTime[]): void;
  collected(report: CollectionReport): void;
  disk(account: DiskAccount): void;
  guiSession(ready: boolean): void;
  lostLogLines(count: number): void;
}

export function createAgentMetrics(kube: Metrics = createMetrics()): AgentMetrics {
  const metrics = defineMetrics(kube);
  return {
    kube,
    guests(all) {
      for (const phase of PHASES) {
        metrics.guests.set({ state: phase }, all.filter(({ state }) => state.phase === phase).length);
      }
    },
    slots(slots) {
      for (const use of ['used', 'foreign', 'free'] as const) metrics.slots.set({ use }, slots[use]);
    },
    foreignVms: count => metrics.foreignVms.set(count),
    pulled({ error, seconds, bytes }) {
      metrics.pullSeconds.observe({ result: error ? 'failed' : 'pulled' }, seconds);
      metrics.pullBytes.inc(bytes);
    },
    started(times) {
      for (const { stage, seconds } of times) metrics.startSeconds.observe({ stage }, seconds);
    },
    collected({ reason, freedBytes, byKind }) {
      metrics.collections.inc({ reason });
      metrics.freedBytes.inc(freedBytes);
      for (const kind of ['vms', 'images', 'leftovers'] as const) metrics.removed.inc({ kind }, byKind[kind].length);
    },
    disk(account) {
      for (const [part, bytes] of Object.entries(diskParts(account))) metrics.diskBytes.set({ part }, bytes);
    },
    guiSession: ready => metrics.guiSession.set(ready ? 1 : 0),
    lostLogLines: count => metrics.lostLogLines.set(count),
  };
}

const diskParts = (account: DiskAccount): Readonly<Record<string, number>> => ({
  total: account.totalBytes,
  free: account.freeBytes,
  images: account.imageBytes,
  own_images: account.ownImageBytes,
  guests: account.guestBytes,
  others: account.otherBytes,
  promised: account.promisedBytes,
});

function defineMetrics({ registry }: Metrics) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name: `tart_kubelet_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name: `tart_kubelet_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: number[]) =>
    new Histogram({ name: `tart_kubelet_${name}`, help, labelNames, buckets, registers });
  const defined = {
    guests: gauge('guests', 'Guests by state', ['state']),
    slots: gauge('vm_slots', 'Places for running macOS VMs, by who uses them', ['use']),
    foreignVms: gauge('foreign_vms', 'VMs on this host that are not ours, running or not'),
    pullBytes: counter('image_pull_bytes_total', 'Bytes pulled from registries, compressed'),
    pullSeconds: histogram('image_pull_seconds', 'Length of a pull, by result', ['result'], PULL_BUCKETS),
    startSeconds: histogram('pod_start_seconds', 'Time to Running, by stage', ['stage'], STAGE_BUCKETS),
    collections: counter('gc_passes_total', 'Passes of the collector, by reason', ['reason']),
    removed: counter('gc_removed_total', 'What the collector removed, by kind', ['kind']),
    freedBytes: counter('gc_freed_bytes_total', 'Bytes the collector freed, as the file system tells it'),
    diskBytes: gauge('disk_bytes', 'The volume of images and guests, by part', ['part']),
    guiSession: gauge('gui_session_ready', '1 while the user is logged in at the screen'),
    lostLogLines: gauge('log_lines_lost', 'Lines of the own log that could not be written'),
  };
  // Rates need a first zero: a series that appears with its first event loses that event.
  for (const reason of ['interval', 'no space']) defined.collections.inc({ reason }, 0);
  for (const kind of ['vms', 'images', 'leftovers']) defined.removed.inc({ kind }, 0);
  for (const stage of [...START_STAGES, 'total']) defined.startSeconds.zero({ stage });
  for (const result of ['pulled', 'failed']) defined.pullSeconds.zero({ result });
  return defined;
}
