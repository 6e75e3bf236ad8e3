import type { Log, Pod } from '@minifleet/kube';
import type { GuestId } from '../guests/guest.ts';
import type { ConfigSource } from './environment/config-source.ts';
import type { Life } from './life.ts';
import type { PodsOptions } from './pods-options.ts';
import type { ObjectWatches } from './volumes/object-watches.ts';
import type { TokenSource } from './volumes/token-source.ts';

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
