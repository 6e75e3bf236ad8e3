import { createBackOff, type Duration, milliseconds, seconds, type Timer } from '@minifleet/clock';
import { errorFields, type Pod } from '@minifleet/kube';
import { see } from './apply-update.ts';
import type { Surroundings, Work } from './pod-context.ts';
import { podPlaces } from './pod-paths.ts';
import { newLife } from './pod-state.ts';
import { pass } from './sync-pod.ts';
import { createPodVolumes } from './volumes/pod-volumes.ts';

/** After a pass that failed: the API server is away, or the host cannot do what it is asked. */
const RETRY = { first: milliseconds(500), most: seconds(30), jitter: 0.2 };

/** Looks after one Pod UID, one pass at a time, from its first sight until nothing is left of it here or there. */
export interface Worker {
  readonly pod: Pod | undefined;
  readonly admitted: boolean;
  /** A newer state of its object. */
  see(pod: Pod): void;
  /** Its object is gone; this is how it was last. */
  lose(pod: Pod): void;
  wake(): void;
  /** The agent ends: guests are left as they are. */
  stop(): Promise<void>;
}

interface WorkerOptions {
  readonly uid: string;
  readonly pod: Pod | undefined;
  readonly around: Surroundings;
  readonly onEnd: () => void;
}

export function createWorker({ uid, pod, around, onEnd }: WorkerOptions): Worker {
  const { clock } = around;
  const life = newLife(uid, pod, createPodVolumes(podPlaces(around.directories.state, uid).volumes));
  const log = around.log.child({ pod: pod?.metadata.name, namespace: pod?.metadata.namespace, uid });
  const backOff = createBackOff(RETRY, clock);
  let timer: { readonly at: number; readonly timer: Timer } | undefined;
  let running: Promise<void> | undefined;
  let dirty = false;
  let over = false;

  const work: Work = {
    life,
    around,
    log,
    wake() {
      dirty = true;
      if (!over) running ??= run();
    },
    wakeAt(at) {
      if (over || (timer && timer.at <= at)) return;
      timer?.timer.cancel();
      const delay: Duration = milliseconds(Math.max(0, at - clock.now()));
      timer = { at, timer: clock.after(delay, () => work.wake()) };
    },
    end() {
      over = true;
      endWaits();
      onEnd();
    },
    say(type, reason, note) {
      if (life.pod) around.events.record({ regarding: life.pod, type, reason, action: reason, note });
    },
  };

  function endWaits(): void {
    timer?.timer.cancel();
    life.retry?.wait.cancel();
    life.crashes?.wait.cancel();
  }

  async function run(): Promise<void> {
    while (dirty && !over) {
      dirty = false;
      timer?.timer.cancel();
      timer = undefined;
      try {
        await pass(work);
        backOff.reset();
      } catch (error) {
        log.warn(errorFields(error), 'A pass failed; it comes again');
        work.wakeAt(clock.now() + backOff.next());
      }
    }
    running = undefined;
  }

  return {
    get pod() {
      return life.pod;
    },
    get admitted() {
      return life.admitted;
    },
    see(newer) {
      if (see(work, newer)) work.wake();
    },
    lose(last) {
      life.pod = last;
      life.gone = true;
      work.wake();
    },
    wake: () => work.wake(),
    async stop() {
      over = true;
      endWaits();
      life.tending?.end();
      life.launch?.abort.abort(new Error('the agent ends'));
      await running;
    },
  };
}
