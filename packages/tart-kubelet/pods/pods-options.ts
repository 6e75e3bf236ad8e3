import type { Clock, Duration } from '@minifleet/clock';
import type { Client, EventRecorder, Log } from '@minifleet/kube';
import type { Guests } from '../guests/guest.ts';
import type { Images } from '../images/images.ts';
import type { NodeView } from './admission/admit.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { TokenSource } from './volumes/token-source.ts';

/** Everything the Pods of a node stand on. */
export interface PodsOptions {
  readonly nodeName: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly guests: Guests;
  readonly images: Images;
  readonly slots: SlotQueue;
  /** The node as it is now. */
  readonly node: () => NodeView;
  readonly directories: {
    /** `pods/<uid>/` of each Pod is made below it. */
    readonly state: string;
    /** `<namespace>_<name>_<uid>/<container>/<attempt>.log` are made below it. */
    readonly logs: string;
  };
  /** How long a guest may take until it answers; a Pod that takes longer has failed to start, with the stage named. */
  readonly bootWithin?: Duration | undefined;
  /** Called before each start: what it throws is why the Pod waits (no screen session, for one). */
  readonly beforeStart?: () => Promise<void>;
  readonly tokens?: TokenSource;
  /** Told how far each Pod has come on its way to Running. */
  readonly stages?: PodStages;
}

export interface PodStages {
  bound(uid: string): void;
  reached(uid: string, stage: 'admitted' | 'image' | 'slot' | 'clone' | 'boot' | 'running'): void;
  gone(uid: string): void;
}
