import { createBackOff, type Duration, milliseconds, seconds, type Timer } from '@minifleet/clock';
import { errorFields, type Pod } from '@minifleet/kube';
import { applyUpdate } from './apply-update.ts';
import type { PodContext, PodDeps } from './pod-context.ts';
import { podPaths } from './pod-paths.ts';
import { newPodState } from './pod-state.ts';
import { syncPod } from './sync-pod.ts';
import { createPodVolumes } from './volumes/pod-volumes.ts';

/** Delays after a failed sync: the API server is unreachable, or the host cannot do what the Pod requires. */
const RETRY = { first: milliseconds(500), most: seconds(30), jitter: 0.2 };

/**
 * Syncs one Pod UID, one sync at a time, from its first observation until nothing is left of it on the host or the API
 * server.
 */
export interface PodWorker {
  readonly pod: Pod | undefined;
  readonly admitted: boolean;
  /** Passes a newer state of the object. */
  update(pod: Pod): void;
  /** Reports that the object is gone, with its last state. */
  markDeleted(pod: Pod): void;
  wake(): void;
  /** Ends the worker when the agent ends; guests keep running. */
  stop(): Promise<void>;
}

interface PodWorkerOptions {
  readonly uid: string;
  readonly pod: Pod | undefined;
  readonly deps: PodDeps;
  readonly onEnd: () => void;
}

export function createPodWorker({ uid, pod, deps, onEnd }: PodWorkerOptions): PodWorker {
  const { clock } = deps;
  const state = newPodState(uid, pod, createPodVolumes(podPaths(deps.directories.state, uid).volumes));
  const log = deps.log.child({ pod: pod?.metadata.name, namespace: pod?.metadata.namespace, uid });
  const backOff = createBackOff(RETRY, clock);
  let timer: { readonly at: number; readonly timer: Timer } | undefined;
  let running: Promise<void> | undefined;
  let dirty = false;
  let over = false;

  const context: PodContext = {
    state,
    deps,
    log,
    wake() {
      dirty = true;
      if (!over) running ??= run();
    },
    wakeAt(at) {
      if (over || (timer && timer.at <= at)) return;
      timer?.timer.cancel();
      const delay: Duration = milliseconds(Math.max(0, at - clock.now()));
      timer = { at, timer: clock.after(delay, () => context.wake()) };
    },
    end() {
      over = true;
      endWaits();
      onEnd();
    },
    emit(type, reason, note) {
      if (state.pod) deps.events.record({ regarding: state.pod, type, reason, action: reason, note });
    },
  };

  function endWaits(): void {
    timer?.timer.cancel();
    state.retry?.wait.cancel();
    state.crashes?.wait.cancel();
  }

  async function run(): Promise<void> {
    while (dirty && !over) {
      dirty = false;
      timer?.timer.cancel();
      timer = undefined;
      try {
        await syncPod(context);
        backOff.reset();
      } catch (error) {
        log.warn(errorFields(error), 'Pod sync failed; retrying');
        context.wakeAt(clock.now() + backOff.next());
      }
    }
    running = undefined;
  }

  return {
    get pod() {
      return state.pod;
    },
    get admitted() {
      return state.admitted;
    },
    update(newer) {
      if (applyUpdate(context, newer)) context.wake();
    },
    markDeleted(last) {
      state.pod = last;
      state.gone = true;
      context.wake();
    },
    wake: () => context.wake(),
    async stop() {
      over = true;
      endWaits();
      state.monitor?.end();
      state.launch?.abort.abort(new Error('agent is shutting down'));
      await running;
    },
  };
}
