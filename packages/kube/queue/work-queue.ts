import { type Clock, type Duration, milliseconds, type Timer } from '@minifleet/clock';

/** `now`: a user or another system waits for this change · `soon`: it follows from such a change · `idle`: no one waits. */
export type Priority = 'now' | 'soon' | 'idle';
const PRIORITIES: readonly Priority[] = ['now', 'soon', 'idle'];

interface QueueObserver {
  added?(priority: Priority): void;
  taken?(waited: Duration): void;
  finished?(worked: Duration): void;
  depth?(depth: number): void;
}

/**
 * Keys waiting for work. A key waits at most once, however often it is added; it is never given to two workers; added
 * while being worked on, it comes again afterwards; within a priority the oldest goes first.
 */
export interface WorkQueue {
  add(key: string, priority?: Priority): void;
  /** Adds later; of several times for one key the earliest counts. */
  addAfter(key: string, delay: Duration, priority?: Priority): void;
  /** The next key, or `undefined` once the queue is shut down and empty. Every key taken must be given to `done`. */
  take(): Promise<string | undefined>;
  done(key: string): void;
  /** Wakes all waiting workers. Waiting keys are dropped; the next leader lists all objects again. */
  shutDown(): void;
  readonly depth: number;
  /** Age of each key that a worker has taken. */
  underWay(): Duration[];
}

/** Keys of one priority, the oldest first. */
class PriorityLane extends Map<string, { readonly since: number }> {
  #oldest = this.entries();

  /**
   * The iterator is kept from call to call: a new one would begin at the places of keys long deleted, which a Map clears
   * away only now and then, and with many keys waiting most of the time would go into stepping over them.
   */
  takeOldest(): [string, { readonly since: number }] | undefined {
    let next = this.#oldest.next();
    if (next.done) {
      this.#oldest = this.entries();
      next = this.#oldest.next();
    }
    if (next.done) return undefined;
    this.delete(next.value[0]);
    return next.value;
  }
}

export function createWorkQueue(clock: Clock, observer: QueueObserver = {}): WorkQueue {
  const lanes: Record<Priority, PriorityLane> = {
    now: new PriorityLane(),
    soon: new PriorityLane(),
    idle: new PriorityLane(),
  };
  const working = new Map<string, { readonly since: number; again?: Priority }>();
  const later = new Map<string, { readonly at: number; readonly timer: Timer }>();
  const takers: ((key: string | undefined) => void)[] = [];
  let closed = false;

  const depth = (): number => lanes.now.size + lanes.soon.size + lanes.idle.size;

  function laneOf(key: string): Priority | undefined {
    return PRIORITIES.find(priority => lanes[priority].has(key));
  }

  /** Puts the key in its lane; one that waits already only ever moves up, and keeps its age. */
  function enqueue(key: string, priority: Priority): void {
    const current = laneOf(key);
    if (current && PRIORITIES.indexOf(current) <= PRIORITIES.indexOf(priority)) return;
    const since = current ? (lanes[current].get(key)?.since ?? clock.now()) : clock.now();
    if (current) lanes[current].delete(key);
    else observer.added?.(priority);
    lanes[priority].set(key, { since });
    observer.depth?.(depth());
  }

  function forgetLater(key: string): void {
    later.get(key)?.timer.cancel();
    later.delete(key);
  }

  function next(): string | undefined {
    for (const priority of PRIORITIES) {
      const oldest = lanes[priority].takeOldest();
      if (!oldest) continue;
      const [key, { since }] = oldest;
      forgetLater(key); // the worker that has the key sets the next time
      working.set(key, { since: clock.now() });
      observer.depth?.(depth());
      observer.taken?.(milliseconds(clock.now() - since));
      return key;
    }
    return undefined;
  }

  function hand(): void {
    while (takers.length > 0 && depth() > 0) takers.shift()?.(next());
  }

  function add(key: string, priority: Priority = 'soon'): void {
    if (closed) return;
    const busy = working.get(key);
    if (busy) {
      if (!busy.again || PRIORITIES.indexOf(priority) < PRIORITIES.indexOf(busy.again)) busy.again = priority;
      return;
    }
    enqueue(key, priority);
    hand();
  }

  return {
    add,
    addAfter(key, delay, priority = 'idle') {
      if (closed) return;
      if (delay <= 0) return add(key, priority);
      const at = clock.now() + delay;
      const pending = later.get(key);
      if (pending && pending.at <= at) return;
      pending?.timer.cancel();
      const timer = clock.after(delay, () => {
        later.delete(key);
        add(key, priority);
      });
      later.set(key, { at, timer });
    },
    take() {
      const key = next();
      if (key !== undefined || closed) return Promise.resolve(key);
      return new Promise(resolve => takers.push(resolve));
    },
    done(key) {
      const finished = working.get(key);
      if (!finished) throw new TypeError(`"${key}" is not being worked on`);
      working.delete(key);
      observer.finished?.(milliseconds(clock.now() - finished.since));
      if (finished.again) add(key, finished.again);
    },
    shutDown() {
      closed = true;
      for (const key of [...later.keys()]) forgetLater(key);
      for (const lane of Object.values(lanes)) lane.clear();
      for (const taker of takers.splice(0)) taker(undefined);
    },
    underWay: () => [...working.values()].map(({ since }) => milliseconds(clock.now() - since)),
    get depth() {
      return depth();
    },
  };
}
