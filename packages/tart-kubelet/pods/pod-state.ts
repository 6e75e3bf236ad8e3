import type { Clock, Duration } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import type { GuestExit } from '../guests/guest.ts';
import type { Ending } from './decide/pod-table.ts';
import type { Prober } from './probes/prober.ts';
import type { Waiting } from './status/status-input.ts';
import type { PodVolumes } from './volumes/pod-volumes.ts';

/** What a worker remembers of its Pod between passes. All of it may be lost: the records and the API server have the rest. */
export interface Life {
  readonly uid: string;
  /** As last seen, or as our last write made it; kept when it is gone, for its names and its grace. */
  pod: Pod | undefined;
  /** The API server has it no more. */
  gone: boolean;
  admitted: boolean;
  ending: Ending | undefined;
  waiting: Waiting | undefined;
  launch: { readonly abort: AbortController } | undefined;
  /** The attempt this process has launched: its hooks and events are ours to give. */
  launched: number | undefined;
  retry: { readonly reason: string; readonly failures: number; readonly wait: Wait } | undefined;
  stopping: Stopping | undefined;
  condemned: Condemned | undefined;
  crashes: { readonly attempt: number; readonly count: number; readonly wait: Wait } | undefined;
  lastExit: GuestExit | undefined;
  /** The end of a failed run's log, for the Pods that ask for it. */
  termination: { readonly attempt: number; readonly tail: string } | undefined;
  /** Told of what came too late to be refused. */
  warned: boolean;
  tending: Tending | undefined;
  readonly volumes: PodVolumes;
  tornDown: boolean;
}

/** A run that may not go on. */
interface Condemned {
  readonly attempt: number;
  readonly because: 'a probe or hook failed' | 'its image was changed';
  /** A failed probe may bring its own. */
  readonly grace?: Duration | undefined;
}

export interface Stopping {
  readonly attempt: number;
  readonly grace: Duration;
  /** A later deletion gives less time. */
  hurry(grace: Duration): void;
}

export interface Tending {
  readonly attempt: number;
  readonly prober: Prober;
  refreshVolumes(): void;
  /** Probes, hooks and the watches of its volumes end; what the probes found stays. */
  end(): void;
}

export const newLife = (uid: string, pod: Pod | undefined, volumes: PodVolumes): Life => ({
  uid,
  pod,
  gone: pod === undefined,
  admitted: false,
  ending: undefined,
  waiting: undefined,
  launch: undefined,
  launched: undefined,
  retry: undefined,
  stopping: undefined,
  condemned: undefined,
  crashes: undefined,
  lastExit: undefined,
  termination: undefined,
  warned: false,
  tending: undefined,
  volumes,
  tornDown: false,
});

/** A wait of a worker, measured by a timer: two looks at the host's clock do not measure one, for it may be set in between. */
export interface Wait {
  readonly over: boolean;
  cancel(): void;
}

export function startWait(clock: Clock, duration: Duration, onOver: () => void): Wait {
  let over = duration === 0;
  const timer = over
    ? undefined
    : clock.after(duration, () => {
        over = true;
        onOver();
      });
  return {
    get over() {
      return over;
    },
    cancel: () => timer?.cancel(),
  };
}
