import type { Clock, Duration } from '@minifleet/clock';
import type { Client, EventRecorder, Log, Pod } from '@minifleet/kube';
import type { GuestId, Guests } from '../guests/guest.ts';
import type { Images } from '../images/images.ts';
import type { PodNodeView } from './admission/admit.ts';
import type { ConfigSource } from './environment/config-source.ts';
import type { PodState } from './pod-state.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { ObjectWatches } from './volumes/object-watches.ts';
import type { TokenSource } from './volumes/service-account-tokens.ts';

/** Dependencies shared by all Pod workers. */
export interface PodDeps extends PodsOptions {
  readonly config: ConfigSource;
  readonly tokens: TokenSource;
  readonly watches: ObjectWatches;
  /** Admitted Pods of this node other than the one with this UID. */
  admittedBeside(uid: string): readonly Pod[];
}

/** One Pod's worker, as its actions use it. */
export interface PodContext {
  readonly state: PodState;
  readonly deps: PodDeps;
  readonly log: Log;
  /** Requests another sync, immediately or at a time; the earliest time counts. */
  wake(): void;
  wakeAt(time: number): void;
  /** Ends the worker: nothing of the Pod is left on the host or the API server. */
  end(): void;
  emit(type: 'Normal' | 'Warning', reason: string, note: string): void;
}

export const idOf = ({ state }: PodContext, attempt: number): GuestId => ({ uid: state.uid, attempt });

export const containerNameOf = ({ state }: PodContext): string => state.pod?.spec?.containers[0]?.name ?? '';

/** Dependencies and settings of the Pod workers of a node. */
export interface PodsOptions {
  readonly nodeName: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly guests: Guests;
  readonly images: Images;
  readonly slots: SlotQueue;
  /** Current state of the node. */
  readonly node: () => PodNodeView;
  readonly directories: {
    /** Parent of the `pods/<uid>/` folder of each Pod. */
    readonly state: string;
    /** Parent of `<namespace>_<name>_<uid>/<container>/<attempt>.log`. */
    readonly logs: string;
  };
  /** Time limit until a guest answers; a Pod that exceeds it has failed to start, and the reached stage is reported. */
  readonly bootWithin?: Duration | undefined;
  /** Called before each start. If it throws, the Pod waits with that error, such as a missing GUI session. */
  readonly beforeStart?: () => Promise<void>;
  readonly tokens?: TokenSource;
  /** Receives each Pod's progress towards Running. */
  readonly stages?: PodStages;
}

interface PodStages {
  bound(uid: string): void;
  reached(uid: string, stage: 'admitted' | 'image' | 'slot' | 'clone' | 'boot' | 'running'): void;
  gone(uid: string): void;
}
