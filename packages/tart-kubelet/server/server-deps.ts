/** Dependencies of the server: the rest of the agent, behind small interfaces. */
import { type Clock, type Duration, minutes, seconds } from '@minifleet/clock';
import type { Log, Pod } from '@minifleet/kube';
import type { ExecOptions, ExecSession, GuestScreen, GuestState } from '../guests/guest.ts';
import type { Reviews } from './access/reviews.ts';
import type { ResourceSamples } from './stats/samples.ts';

export interface ServerDeps {
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly reviews: Reviews;
  readonly guests: ServerGuests;
  /** Every Pod bound to this Node. */
  pods(): readonly Pod[];
  samples(): Promise<ResourceSamples>;
  /** The agent's own metrics in Prometheus format. */
  metrics(): Promise<string>;
  /** Undefined if healthy, otherwise the problem. */
  unhealthy(): string | undefined;
  readonly limits: StreamLimits;
}

export interface StreamLimits {
  /** A stream without activity is closed after this time. */
  readonly idle: Duration;
  /** Time for a client to open the announced streams. */
  readonly opening: Duration;
  /** Time for a client to close a finished connection. */
  readonly closing: Duration;
}

/** kubelet's limits. */
export const DEFAULT_LIMITS: StreamLimits = { idle: minutes(4 * 60), opening: seconds(30), closing: seconds(10) };

/**
 * A Pod as the server uses it, with the actions on its guest. Implemented by the agent, and by local processes in
 * tests.
 */

export interface ServedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Container names; the only container is the guest. */
  readonly containers: readonly string[];
  /** Current state; undefined without a guest. */
  readonly state: GuestState | undefined;
  /** Subscribes to state changes; the returned function unsubscribes. */
  onStateChange(listener: () => void): () => void;
  /** CRI log of the current or previous run; undefined if there was no such run. The file may not exist yet. */
  logFile(run: 'current' | 'previous'): string | undefined;
  /** Runs a command in the guest. Both outputs end with the command. */
  exec(options: ExecOptions): Promise<ExecSession>;
  /** Address of the guest; undefined while it has none. */
  readonly address: string | undefined;
  /** Screen served by the host; undefined if this guest has none, rejects while it is unavailable. */
  screen?(): Promise<GuestScreen | undefined>;
}

interface PodReference {
  readonly namespace: string;
  readonly name: string;
  /** If set, a Pod with the same name and another UID does not match. */
  readonly uid?: string | undefined;
}

export interface ServerGuests {
  find(pod: PodReference): ServedPod | undefined;
}
