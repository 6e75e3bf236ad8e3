import type { Clock, Duration } from '@minifleet/clock';
import type { Client, EventRecorder, Log, Pod } from '@minifleet/kube';
import type { GuestId, Guests } from '../guests/guest.ts';
import type { Images } from '../images/images.ts';
import type { NodeView } from './admission/admit.ts';
import type { ConfigSource } from './environment/config-source.ts';
import type { Life } from './pod-state.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { ObjectWatches } from './volumes/object-watches.ts';
import type { TokenSource } from './volumes/service-account-tokens.ts';

/** What all workers share. */
export interface Surroundings extends PodsOptions {
  readonly config: ConfigSource;
  readonly tokens: TokenSource;
  readonly watches: ObjectWatches;
  /** Pods of this node that may run, beside the one with this UID. */
  admittedBeside(uid: string): readonly Pod[];
}

/** One Pod's worker as its actions see it. */
export interface Work {
  readonly life: Life;
  readonly around: Surroundings;
  readonly log: Log;
  /** Asks for another pass, at once or at a time; of several times the earliest counts. */
  wake(): void;
  wakeAt(time: number): void;
  /** Nothing is left of the Pod, here or there. */
  end(): void;
  say(type: 'Normal' | 'Warning', reason: string, note: string): void;
}

export const idOf = ({ life }: Work, attempt: number): GuestId => ({ uid: life.uid, attempt });

export const containerNameOf = ({ life }: Work): string => life.pod?.spec?.containers[0]?.name ?? '';

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

interface PodStages {
  bound(uid: string): void;
  reached(uid: string, stage: 'admitted' | 'image' | 'slot' | 'clone' | 'boot' | 'running'): void;
  gone(uid: string): void;
}
