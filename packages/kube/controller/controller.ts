import { type Clock, milliseconds, minutes, seconds } from '@minifleet/clock';
import { retryOf } from '@minifleet/errors';
import type { Client } from '../client/client.ts';
import type { Resource } from '../client/resource.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { Informer, ObjectChange } from '../informer/informer.ts';
import { type KubeObject, keyOf, keyString, parseKey } from '../object.ts';
import { errorFields, type Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { createKeyBackOff, type KeyBackOff } from '../queue/key-back-off.ts';
import { createWorkQueue, type Priority, type WorkQueue } from '../queue/work-queue.ts';
import { type Context, type ControllerDefinition, changedBesidesStatus, type WatchedResource } from './definition.ts';
import type { Outcome } from './outcome.ts';

/** Dependencies of a controller. */
interface ControllerDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  /** Shared with other controllers that watch the same resource. */
  informer<T extends KubeObject>(resource: Resource<T>, selection: ControllerDefinition['selection']): Informer<T>;
}

const BACK_OFF = { first: milliseconds(50), most: minutes(5), jitter: 0.1 };
const TIMEOUT = minutes(1);

type ReconcileResult = 'success' | 'requeue_after' | 'error';

/** Passes keys from watches to workers, and handles the outcome of each reconcile. */
export class Controller<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly #definition: ControllerDefinition<T>;
  readonly #deps: ControllerDeps;
  readonly #log: Log;
  readonly #queue: WorkQueue;
  readonly #backOff: KeyBackOff;
  readonly #labels: { readonly controller: string };
  /** Keys whose reconcile waits until the cache contains the last write of this process. */
  readonly #behind = new Set<string>();
  #passes = 0;

  constructor(definition: ControllerDefinition<T>, deps: ControllerDeps) {
    this.name = definition.name;
    this.#definition = definition;
    this.#deps = deps;
    this.#log = deps.log.child({ controller: definition.name });
    this.#labels = { controller: definition.name };
    this.#backOff = createKeyBackOff(definition.backOff ?? BACK_OFF, deps.clock);
    this.#queue = observedQueue(definition.name, deps);
  }

  /** Runs until the signal aborts, then waits for running reconciles. */
  async run(signal: AbortSignal): Promise<void> {
    const workers = this.#definition.concurrency ?? 4;
    this.#deps.metrics.maxConcurrent.set(this.#labels, workers);
    const subscriptions = [...this.#subscribe(), this.#reportWorkUnderWay()];
    signal.addEventListener('abort', () => this.#queue.shutDown(), { once: true });
    if (signal.aborted) this.#queue.shutDown();
    await Promise.all(Array.from({ length: workers }, () => this.#work(signal)));
    for (const unsubscribe of subscriptions) unsubscribe();
  }

  #subscribe(): (() => void)[] {
    const { resource, selection, watches = [], wakeOn = changedBesidesStatus, wakes } = this.#definition;
    const informer = this.#deps.informer(resource, selection);
    const own = informer.subscribe(change => {
      const key = keyString(keyOf(change.object));
      const caughtUp = !informer.isBehind(key) && this.#behind.delete(key);
      const priority = caughtUp ? 'now' : ownPriority(change, wakeOn);
      if (priority) this.#queue.add(key, priority);
    });
    const others = watches.map(watched =>
      this.#deps.informer(watched.resource, watched.selection).subscribe(change => {
        for (const key of mappedKeys(watched, change)) this.#queue.add(key, isInitial(change) ? 'idle' : 'soon');
      }),
    );
    const outside = wakes ? [wakes(key => this.#queue.add(keyString(key), 'soon'))] : [];
    return [own, ...others, ...outside];
  }

  #reportWorkUnderWay(): () => void {
    const { metrics } = this.#deps;
    const labels = { name: this.name, ...this.#labels };
    const refresh = (): void => {
      const ages = this.#queue.underWay().map(age => age / seconds(1));
      metrics.queueUnfinished.set(
        labels,
        ages.reduce((sum, age) => sum + age, 0),
      );
      metrics.queueLongest.set(labels, Math.max(0, ...ages));
    };
    metrics.beforeScrape.add(refresh);
    return () => metrics.beforeScrape.delete(refresh);
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      if (this.#isBehind(key)) this.#behind.add(key);
      else await this.#pass(key, signal);
      this.#queue.done(key);
    }
  }

  /**
   * A reconcile of a state that this process itself has replaced can find nothing to change, and the write that arrives later
   * wakes no one. The informer's event of that write queues the key again.
   */
  #isBehind(key: string): boolean {
    return this.#deps.informer(this.#definition.resource, this.#definition.selection).isBehind(key);
  }

  async #pass(key: string, parent: AbortSignal): Promise<void> {
    const { clock, metrics } = this.#deps;
    const log = this.#log.child({ key, reconcileID: `${this.name}-${++this.#passes}` });
    const limit = this.#limit(key, parent, log);
    const { signal } = limit;
    const context: Context = { ...this.#deps, cache: resource => this.#cache(resource), log, signal };
    const started = clock.now();
    metrics.activeWorkers.inc(this.#labels);
    let result: ReconcileResult;
    try {
      result = this.#finish(key, await this.#definition.reconcile(context, parseKey(key)));
    } catch (error) {
      result = this.#fail(key, error, log);
    }
    limit.lift();
    metrics.activeWorkers.dec(this.#labels);
    metrics.reconciles.inc({ ...this.#labels, result });
    metrics.reconcileTime.observe(this.#labels, (clock.now() - started) / seconds(1));
  }

  /**
   * Signal of one reconcile. It aborts with the parent and at the deadline. A reconcile that ignores it keeps its worker and its
   * key, because two reconciles of one key would be worse. AbortSignal.any costs more than the rest of a reconcile without work.
   */
  #limit(key: string, parent: AbortSignal, log: Log): { readonly signal: AbortSignal; lift(): void } {
    const pass = new AbortController();
    const stop = (): void => pass.abort(parent.reason);
    const timer = this.#deps.clock.after(this.#definition.timeout ?? TIMEOUT, () => {
      this.#deps.metrics.timeouts.inc(this.#labels);
      log.error({}, 'Reconcile exceeded its deadline; cancelled');
      pass.abort(new Error(`the reconcile of ${key} exceeded its deadline`));
    });
    if (parent.aborted) stop();
    else parent.addEventListener('abort', stop, { once: true });
    return {
      signal: pass.signal,
      lift() {
        timer.cancel();
        parent.removeEventListener('abort', stop);
      },
    };
  }

  #finish(key: string, outcome: Outcome): ReconcileResult {
    this.#backOff.forget(key);
    if (outcome.type !== 'again') return 'success';
    this.#queue.addAfter(key, outcome.after);
    return 'requeue_after';
  }

  #fail(key: string, error: unknown, log: Log): ReconcileResult {
    const { metrics } = this.#deps;
    const retry = retryOf(error);
    metrics.reconcileErrors.inc(this.#labels);
    if (isPanic(error)) metrics.panics.inc(this.#labels);
    if (retry === 'operator' || retry === 'untilSpecChanges') {
      metrics.terminalErrors.inc(this.#labels);
      this.#backOff.forget(key);
      log.error(errorFields(error), 'Reconcile failed; not retried until an object changes');
    } else {
      const retryIn = retry === 'backoff' ? this.#backOff.next(key) : retry.after;
      metrics.queueRetries.inc({ name: this.name, ...this.#labels });
      this.#queue.addAfter(key, retryIn);
      log.error({ ...errorFields(error), retryIn }, 'Reconcile failed');
    }
    return 'error';
  }

  /** Only watched resources are cached, so the first read of an undeclared resource throws. */
  #cache<U extends KubeObject>(resource: Resource<U>) {
    const { watches = [] } = this.#definition;
    const declared = [this.#definition, ...watches].find(one => sameResource(one.resource, resource));
    if (declared) return this.#deps.informer(resource, declared.selection).cache;
    throw new TypeError(
      `controller ${this.name} reads ${resource.plural} without watching them: add them to its watches`,
    );
  }
}

function observedQueue(controller: string, { clock, metrics }: ControllerDeps): WorkQueue {
  const labels = { name: controller, controller };
  return createWorkQueue(clock, {
    added: () => metrics.queueAdds.inc(labels),
    depth: depth => metrics.queueDepth.set(labels, depth),
    taken: waited => metrics.queueWait.observe(labels, waited / seconds(1)),
    finished: worked => metrics.queueWork.observe(labels, worked / seconds(1)),
  });
}

/** Undefined if the change does not trigger a reconcile: an update that `wakeOn` filters out. */
function ownPriority<T extends KubeObject>(
  change: ObjectChange<T>,
  wakeOn: (previous: T, object: T) => boolean,
): Priority | undefined {
  if (change.type !== 'updated') return isInitial(change) ? 'idle' : 'now';
  return wakeOn(change.previous, change.object) ? 'now' : undefined;
}

const isInitial = (change: ObjectChange<KubeObject>): boolean => change.type === 'added' && change.initial;

/** Keys of both states: an object with a new owner wakes the old owner as well as the new one. */
function mappedKeys(watched: WatchedResource, change: ObjectChange<KubeObject>): Set<string> {
  if (change.type === 'updated' && watched.wakeOn?.(change.previous, change.object) === false) return new Set();
  const states = change.type === 'updated' ? [change.previous, change.object] : [change.object];
  return new Set(states.flatMap(state => watched.keysFor(state)).map(keyString));
}

/** A programming error, like a panic in Go. Counted separately, because no retry fixes it. */
const isPanic = (error: unknown): boolean =>
  !(error instanceof Error) ||
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;

const sameResource = (a: Resource, b: Resource): boolean => a.plural === b.plural && a.group === b.group;
