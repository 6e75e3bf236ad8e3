import { createMetrics, type Metrics, registerMetrics } from '@minifleet/kube';
import type { VmSlots } from '../gc/classify-vms.ts';
import type { CollectionReport } from '../gc/collector.ts';
import type { Guest, GuestState } from '../guests/guest.ts';
import type { DiskAccount } from '../images/disk-account.ts';
import type { PullReport } from '../images/pulls.ts';
import { agentMetricTable } from './metric-table.ts';
import { START_STAGES, type StageTime } from './start-stages.ts';

const PHASES: readonly GuestState['phase'][] = ['creating', 'starting', 'running', 'exited'];

/** Metrics of the agent, in one registry with those of its API client. */
export interface AgentMetrics {
  readonly kube: Metrics;
  /** Values that are read before each scrape. */
  readonly follow: (sources: AgentMetricSources) => void;
  guests(all: readonly Guest[]): void;
  slots(slots: VmSlots): void;
  foreignVms(count: number): void;
  pulled(pull: PullReport): void;
  started(times: readonly StageTime[]): void;
  collected(report: CollectionReport): void;
  guiSession(ready: boolean): void;
}

interface AgentMetricSources {
  /** Undefined until the disk is measured. */
  readonly disk?: () => DiskAccount | undefined;
  readonly lostLogLines?: () => number;
}

export function createAgentMetrics(kube: Metrics = createMetrics()): AgentMetrics {
  const metrics = registerMetrics(kube.registry, agentMetricTable);
  // Rates need an initial zero: a series that appears with its first event loses that event.
  for (const reason of ['interval', 'no space']) metrics.collections.inc({ reason }, 0);
  for (const kind of ['vms', 'images', 'leftovers']) metrics.removed.inc({ kind }, 0);
  for (const stage of [...START_STAGES, 'total']) metrics.startSeconds.zero({ stage });
  for (const result of ['pulled', 'failed']) metrics.pullSeconds.zero({ result });
  return {
    kube,
    follow: ({ disk, lostLogLines }) =>
      void kube.beforeScrape.add(() => {
        const account = disk?.();
        for (const [part, bytes] of Object.entries(account ? diskParts(account) : {}))
          metrics.diskBytes.set({ part }, bytes);
        if (lostLogLines) metrics.lostLogLines.set(lostLogLines());
      }),
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
    guiSession: ready => metrics.guiSession.set(ready ? 1 : 0),
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
