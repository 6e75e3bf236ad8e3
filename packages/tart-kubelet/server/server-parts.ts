/** What the server is given: the rest of the agent, behind small interfaces. */
import { type Clock, type Duration, minutes, seconds } from '@minifleet/clock';
import type { Log, Pod } from '@minifleet/kube';
import type { Reviews } from './access/reviews.ts';
import type { ServerGuests } from './served-pod.ts';
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
