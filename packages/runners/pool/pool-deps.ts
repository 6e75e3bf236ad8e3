import type { RecordedEnd } from '@minifleet/api';
import type { Clock, Duration } from '@minifleet/clock';
import type { Resolver } from '@minifleet/forges';
import type { Client, EventRecorder, Log, ObjectKey } from '@minifleet/kube';

/** Dependencies of the RunnerPool controller. */
export interface RunnerPoolDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** Random bytes for runner names. */
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly resolver: Resolver;
  readonly settings: RunnerPoolSettings;
  /** Called once for each ended runner, after the end is in the pool's status. */
  readonly onEnd?: (end: RunnerEnd) => void;
  /** Called after each reconcile with its figures; undefined if the pool is gone. */
  readonly onPass?: (pool: ObjectKey, figures: PoolFigures | undefined) => void;
}

export interface RunnerPoolSettings {
  /** Namespace of the pools (default: all). */
  readonly namespace?: string | undefined;
  /** Pools reconciled concurrently; one worker per pool. */
  readonly concurrency?: number;
  /** Minimum interval between two runner lists of an account, shared by all its pools. */
  readonly lookEvery?: Duration;
  /** A Pod that is Terminating this long after its grace period is reported. */
  readonly stuckAfter?: Duration;
  /** Time for a runner that GitHub does not know, or reports offline, to end by itself. */
  readonly lostAfter?: Duration;
}

/** Figures of a pool from its last reconcile, for metrics and scaling. */
export interface PoolFigures {
  readonly namespace: string;
  readonly name: string;
  readonly wanted: number;
  /** Online and without a job. */
  readonly idle: number;
  readonly busy: number;
  /** Not yet online: unscheduled or starting. */
  readonly pending: number;
  readonly terminating: number;
  /** Overdue among `terminating`. */
  readonly stuck: number;
  /** Runners with an outdated image. */
  readonly stale: number;
  /** Rollout budget. */
  readonly rollCap: number;
  /** Age of the oldest runner that is not yet online; 0 without one. */
  readonly oldestPending: Duration;
  /** Registrations of gone runners that GitHub does not remove yet. */
  readonly staleRegistrations: number;
  /** Announced end of support of the runner version, in milliseconds since 1970; absent if none is announced. */
  readonly versionEnds?: { readonly version: string; readonly at: number };
  /** Reason why runners are missing; empty if none is. */
  readonly why: string;
}

/** Output of the controller. */
export interface RunnerPools {
  /** Figures of all existing pools. */
  readonly figures: () => readonly PoolFigures[];
}

/** End of one runner as in the pool's status: counted once, also across crashes. */
export interface RunnerEnd extends Readonly<RecordedEnd> {
  readonly pool: ObjectKey;
}
