import type { Clock, Duration } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import type { GuestExit } from '../guests/guest.ts';
import type { PodFailure } from './decide/pod-table.ts';
import type { Prober } from './probes/prober.ts';
import type { WaitingReason } from './status/status-input.ts';
import type { PodVolumes } from './volumes/pod-volumes.ts';

/**
 * State that a worker keeps for its Pod between syncs. All of it may be lost: the rest is in the records and on the API
 * server.
 */
export interface PodState {
  readonly uid: string;
  /**
   * Last observed object, or the response to the agent's last write; kept after deletion for its names and grace
   * period.
   */
  pod: Pod | undefined;
  /** The API server no longer has the object. */
  gone: boolean;
  admitted: boolean;
  failure: PodFailure | undefined;
  waiting: WaitingReason | undefined;
  launch: { readonly abort: AbortController } | undefined;
  /** Attempt launched by this process, which therefore runs its hooks and emits its events. */
  launched: number | undefined;
  retry: { readonly reason: string; readonly failures: number; readonly wait: WorkerDelay } | undefined;
  stopping: StopInProgress | undefined;
  mustRestart: RestartRequest | undefined;
  crashes: { readonly attempt: number; readonly count: number; readonly wait: WorkerDelay } | undefined;
  lastExit: GuestExit | undefined;
  /** End of a failed run's log, for Pods that request it. */
  termination: { readonly attempt: number; readonly tail: string } | undefined;
  /** The warning about ephemeral containers has been emitted. */
  warned: boolean;
  monitor: RunMonitor | undefined;
  readonly volumes: PodVolumes;
  tornDown: boolean;
}

/** A run that must be stopped and restarted. */
interface RestartRequest {
  readonly attempt: number;
  readonly because: 'a probe or hook failed' | 'its image was changed';
  /** Grace period set by a failed probe. */
  readonly grace?: Duration | undefined;
}

export interface StopInProgress {
  readonly attempt: number;
  readonly grace: Duration;
  /** Applies the shorter grace period of a later deletion. */
  shorten(grace: Duration): void;
}

export interface RunMonitor {
  readonly attempt: number;
  readonly prober: Prober;
  refreshVolumes(): void;
  /** Stops probes, hooks and volume watches; the probe results remain. */
  end(): void;
}

export const newPodState = (uid: string, pod: Pod | undefined, volumes: PodVolumes): PodState => ({
  uid,
  pod,
  gone: pod === undefined,
  admitted: false,
  failure: undefined,
  waiting: undefined,
  launch: undefined,
  launched: undefined,
  retry: undefined,
  stopping: undefined,
  mustRestart: undefined,
  crashes: undefined,
  lastExit: undefined,
  termination: undefined,
  warned: false,
  monitor: undefined,
  volumes,
  tornDown: false,
});

/** Delay measured by a timer rather than by two clock readings, because the host's clock may be set in between. */
export interface WorkerDelay {
  readonly over: boolean;
  cancel(): void;
}

export function startDelay(clock: Clock, duration: Duration, onOver: () => void): WorkerDelay {
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
