import type { Duration } from '@minifleet/clock';

/** Kinds of entities: a machine with its Node, a MacHost, a fleet, or a RunnerPool. */
export type EntityKind = 'host' | 'mac' | 'fleet' | 'pool';

/** One reported problem of an entity. */
export interface EntityProblem {
  /** Condition that reports it. Another label from the same source is another cause. */
  readonly source: string;
  /** Short name: `Node NotReady`, `DriftFound`. */
  readonly label: string;
  /** Message of the condition; may be empty. */
  readonly message: string;
  readonly since: number;
  /** The message changes with every step of the repair. It is printed once for its label, and not again when it changes. */
  readonly inProgress?: boolean;
}

export const problemText = ({ label, message }: Pick<EntityProblem, 'label' | 'message'>): string =>
  message === '' ? label : `${label}: ${message}`;

/** State of one host, fleet or pool at one moment, read from all its objects. */
export interface EntitySnapshot {
  readonly key: string;
  readonly kind: EntityKind;
  readonly namespace: string;
  readonly name: string;
  /** All names that users and events use for it. */
  readonly aliases: readonly string[];
  readonly state: 'healthy' | 'starting' | 'paused' | 'deleting' | 'unhealthy';
  /** Phase of the start or the deletion. A change of the phase is printed. */
  readonly phase: string;
  /** Message of the phase. */
  readonly message: string;
  /** Problems, the most important first. For a starting entity: what it waits for. */
  readonly problems: readonly EntityProblem[];
  /** True if it has been in service before. The end of a problem is then a recovery. */
  readonly served: boolean;
  readonly createdAt: number;
  /** Time of the last change. Effects of anything done before are visible by then. */
  readonly changedAt: number;
  /** Steps that are in sync, with the time since when. */
  readonly syncedSteps: readonly { readonly step: string; readonly at: number }[];
}

/** Tracked state of an entity: its latest snapshot and what was printed about it. */
export interface Entity {
  readonly snapshot: EntitySnapshot;
  /** True if it was healthy before, as far as known. */
  readonly wasHealthy: boolean;
  /** Start of the current problem; absent while it is healthy. */
  readonly unhealthySince?: number;
  /** Time of an injected fault or a warning without a visible effect so far. */
  readonly warned?: { readonly at: number; readonly injected: boolean };
  /** Dedupe keys of the messages printed since it was last healthy. */
  readonly printed: readonly string[];
  /** Time of the last recovery. */
  readonly recoveredAt?: number;
}

/** Event about an entity. */
export interface WatchedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Input of the timeline. */
export type EntityChange =
  /** `initial`: the state when the watch started. */
  | { readonly type: 'observed'; readonly at: number; readonly snapshot: EntitySnapshot; readonly initial?: boolean }
  | { readonly type: 'deleted'; readonly at: number }
  /** `receivedAt`: time of the event, shortly before it is handled. */
  | { readonly type: 'event'; readonly at: number; readonly receivedAt: number; readonly event: WatchedEvent };

export type LineType =
  | 'added'
  | 'progress'
  | 'fault'
  | 'warning'
  | 'problem'
  | 'recovered'
  | 'deleted'
  | 'summary'
  | 'disconnected'
  | 'reconnected';

/** One line of the timeline. */
export interface TimelineLine {
  readonly at: number;
  readonly type: LineType;
  /** Absent if the line is about the whole cluster. */
  readonly about?: Pick<EntitySnapshot, 'kind' | 'namespace' | 'name'>;
  readonly message: string;
  /** Duration of a problem that existed before the watch started, or that has ended. */
  readonly duration?: Duration;
}

/** New state of an entity and the lines to print. */
export interface TimelineUpdate {
  /** Absent if the entity is deleted. */
  readonly after: Entity | undefined;
  readonly lines: readonly TimelineLine[];
}
