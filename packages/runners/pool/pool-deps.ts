import type { RecordedEnd } from '@minifleet/api';
import type { Clock, Duration } from '@minifleet/clock';
import type { Resolver } from '@minifleet/forges';
import type { Client, EventRecorder, Log, ObjectKey } from '@minifleet/kube';

/** What the controller of pools is given by the program around it. */
export interface RunnerPoolDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** Bytes nobody can guess: the names of runners are made of them. */
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly resolver: Resolver;
  readonly settings: RunnerPoolSettings;
  /** Once for each runner that ended, after the end is written to the pool's status. */
  readonly onEnd?: (end: RunnerEnd) => void;
  /** After each pass over a pool, with what it saw; undefined when the pool is gone. */
  readonly onPass?: (pool: ObjectKey, figures: PoolFigures | undefined) => void;
}

export interface RunnerPoolSettings {
  /** Only pools of this namespace; all when undefined. */
  readonly namespace?: string | undefined;
  /** Pools worked on at once; one pool is worked on by one worker. */
  readonly concurrency?: number;
  /** The least time between two lists of an account's runners, shared by all its pools. */
  readonly lookEvery?: Duration;
  /** A Pod Terminating longer than this beyond its grace is told of. */
  readonly stuckAfter?: Duration;
  /** How long a runner that the forge does not know, or does not hear, may take to end by itself. */
  readonly lostAfter?: Duration;
}

/** One pool as the last pass saw it: for metrics and for whoever decides on its size. */
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
  /** Of those terminating: beyond their time. */
  readonly stuck: number;
  /** Of another image than the pool wants. */
  readonly stale: number;
  /** How many a roll may take at once. */
  readonly rollCap: number;
  /** Of the oldest runner that is not yet online; 0 without one. */
  readonly oldestPending: Duration;
  /** Registrations of runners that are gone, which the forge would not remove yet. */
  readonly staleRegistrations: number;
  /** One sentence: what is missing; empty when nothing is. */
  readonly why: string;
}

/** What the controller shows of itself. */
export interface RunnerPools {
  /** All pools that exist, each as its last pass saw it. */
  readonly figures: () => readonly PoolFigures[];
}

/** How one runner ended, as it stands in its pool's status: counted once, whatever dies in between. */
export interface RunnerEnd extends Readonly<RecordedEnd> {
  readonly pool: ObjectKey;
}
