/** What the server is given: the rest of the agent, behind small interfaces. */
import { type Clock, type Duration, minutes, seconds } from '@minifleet/clock';
import type { Log, Pod } from '@minifleet/kube';
import type { ExecOptions, ExecSession, GuestScreen, GuestState } from '../guests/guest.ts';
import type { Reviews } from './access/reviews.ts';
import type { Samples } from './stats/samples.ts';

export interface ServerParts {
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly reviews: Reviews;
  readonly guests: ServerGuests;
  /** Every Pod bound to this Node. */
  pods(): readonly Pod[];
  samples(): Promise<Samples>;
  /** The agent's own metrics, as Prometheus reads them. */
  metrics(): Promise<string>;
  /** Undefined while all is well, else what is not. */
  unhealthy(): string | undefined;
  readonly limits: StreamLimits;
}

export interface StreamLimits {
  /** A stream on which nothing has moved for this long is closed. */
  readonly idle: Duration;
  /** How long a client may take to open the streams it announced. */
  readonly opening: Duration;
  /** How long a client may take to close a connection that is over. */
  readonly closing: Duration;
}

/** Those of a kubelet. */
export const USUAL_LIMITS: StreamLimits = { idle: minutes(4 * 60), opening: seconds(30), closing: seconds(10) };

/** What the server needs to know of a Pod and may do with its guest. The agent gives it; a test gives local processes. */

export interface ServedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** By name; the guest is the one that runs. */
  readonly containers: readonly string[];
  /** Now; undefined while there is no guest, or no longer one. */
  readonly state: GuestState | undefined;
  /** Calls back the moment the state changes. The function it returns ends that. */
  onStateChange(listener: () => void): () => void;
  /** The CRI log of this run and of the one before; undefined where there was none. It need not exist yet. */
  logFile(run: 'current' | 'previous'): string | undefined;
  /** In the running guest. Both outputs end with the command. */
  exec(options: ExecOptions): Promise<ExecSession>;
  /** Where the host reaches the guest; undefined while it has no address. */
  readonly address: string | undefined;
  /** The screen of the guest as the host serves it; undefined when this guest has none, rejects while it is not served. */
  screen?(): Promise<GuestScreen | undefined>;
}

interface PodName {
  readonly namespace: string;
  readonly name: string;
  /** When given, a Pod of the same name and another UID is not the one. */
  readonly uid?: string | undefined;
}

export interface ServerGuests {
  find(pod: PodName): ServedPod | undefined;
}
