import { type BackOffOptions, type Clock, createBackOff, pause, seconds } from '@minifleet/clock';
import type { Client, Selection } from './client/client.ts';
import { type Resource, resourceName } from './client/resource.ts';
import { trackWrites } from './client/track-writes.ts';
import { Controller } from './controller/controller.ts';
import type { ControllerDefinition } from './controller/definition.ts';
import { createEventRecorder, type EventRecorder } from './events/recorder.ts';
import { createInformer, type Informer } from './informer/informer.ts';
import { type ElectionOptions, runAsLeader } from './leader-election/leader-election.ts';
import type { KubeObject, ObjectKey } from './object.ts';
import type { HealthCheck } from './observe/health-server.ts';
import { errorFields, type Log } from './observe/log.ts';
import type { Metrics } from './observe/metrics.ts';

export interface RuntimeOptions {
  /** Reporting controller of events, with a domain: `minifleet.dev/provider`. */
  readonly name: string;
  /** Identity of this process among its replicas. */
  readonly identity: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** With a lease, only one replica works; the others keep warm caches. */
  readonly leaderElection?: { readonly lease: Required<ObjectKey> } & Partial<
    Pick<ElectionOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>
  >;
}

/** The lifetime of a program of controllers: shared informers, leadership, workers, an orderly end. */
export interface Runtime {
  readonly events: EventRecorder;
  /** Client for controllers. A key is not reconciled before the cache contains the last write of this client to its object. */
  readonly client: Client;
  informer<T extends KubeObject>(resource: Resource<T>, selection?: Selection): Informer<T>;
  add<T extends KubeObject>(definition: ControllerDefinition<T>): void;
  /**
   * Adds a task that the leader completes after the caches have synced and before a controller starts. A failed task is logged and retried
   * with back-off, without limit: the controllers wait for it. A task can be interrupted anywhere and must be repeatable.
   */
  before(task: (signal: AbortSignal) => Promise<void>): void;
  /** Runs until the signal aborts and passes under way have ended. Throws LeadershipLost if another took over. */
  run(signal: AbortSignal): Promise<void>;
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

const TASK_BACK_OFF: BackOffOptions = { first: seconds(1), most: seconds(60), jitter: 0.2 };

export function createRuntime(options: RuntimeOptions): Runtime {
  const { clock, log, metrics } = options;
  const events = createEventRecorder({ ...options, controller: options.name, instance: options.identity });
  const informers = new Map<string, Informer<KubeObject>>();
  const tasks: ((signal: AbortSignal) => Promise<void>)[] = [];
  const controllers: { run(signal: AbortSignal): Promise<void> }[] = [];
  const client = trackWrites(options.client, (resource, object) => {
    const name = resourceName(resource);
    for (const informer of informers.values()) if (resourceName(informer.resource) === name) informer.noteWrite(object);
  });
  let running: AbortSignal | undefined;
  const followers: Promise<void>[] = [];

  const start = (informer: Informer<KubeObject>, signal: AbortSignal): void =>
    void followers.push(informer.run(signal));

  function informer<T extends KubeObject>(resource: Resource<T>, selection: Selection = {}): Informer<T> {
    const name = resourceName(resource);
    const { namespace, labelSelector, fieldSelector, metadataOnly } = selection;
    const identity = [name, namespace, labelSelector, fieldSelector, metadataOnly].join('|');
    let shared = informers.get(identity) as Informer<T> | undefined;
    if (!shared) {
      const onTrouble = (trouble: string): void => metrics.informerTroubles.inc({ resource: name, trouble });
      shared = createInformer({ client, resource, selection, clock, log, onTrouble });
      informers.set(identity, shared);
      const { cache } = shared;
      metrics.beforeScrape.add(() => metrics.cachedObjects.set({ resource: name }, cache.size));
      if (running) start(shared, running);
    }
    return shared;
  }

  async function work(signal: AbortSignal): Promise<void> {
    // A controller that starts on half a cache would take what is not yet listed for gone.
    const synced = Promise.all([...informers.values()].map(one => one.synced));
    await Promise.race([synced, aborted(signal)]);
    for (const task of tasks) await complete(task, signal, { clock, log });
    if (!signal.aborted) await Promise.all(controllers.map(controller => controller.run(signal)));
  }

  return {
    events,
    client,
    informer,
    add(definition) {
      informer(definition.resource, definition.selection);
      for (const watched of definition.watches ?? []) informer(watched.resource, watched.selection);
      controllers.push(new Controller(definition, { client, clock, log, metrics, events, informer }));
    },
    before: task => void tasks.push(task),
    async run(signal) {
      const stop = new AbortController();
      running = AbortSignal.any([signal, stop.signal]);
      for (const one of informers.values()) start(one, running);
      try {
        if (!options.leaderElection) await work(running);
        else await runAsLeader(electionOptions(options), running, work);
      } finally {
        stop.abort();
        await Promise.all([...followers, events.flush()]);
      }
    },
    checks: { informers: () => unsynced(informers) },
  };
}

/** Returns when the task succeeded, or the signal aborted. */
async function complete(
  task: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  { clock, log }: Pick<RuntimeOptions, 'clock' | 'log'>,
): Promise<void> {
  const backOff = createBackOff(TASK_BACK_OFF, clock);
  while (!signal.aborted) {
    try {
      return await task(signal);
    } catch (error) {
      if (signal.aborted) return;
      log.error(errorFields(error), 'Start-up task failed; retrying, and no controller starts before it succeeds');
      await pause(clock, backOff.next(), signal);
    }
  }
}

const unsynced = (informers: ReadonlyMap<string, Informer<KubeObject>>): string | undefined => {
  const missing = [...informers.values()].filter(one => !one.hasSynced).map(one => resourceName(one.resource));
  return missing.length > 0 ? `initial list incomplete: ${missing.join(', ')}` : undefined;
};

function electionOptions(options: RuntimeOptions): ElectionOptions {
  const { client, clock, log, identity, metrics, leaderElection } = options;
  if (!leaderElection) throw new TypeError('no lease is configured');
  const onChange = (leading: boolean): void => metrics.leader.set({ name: leaderElection.lease.name }, leading ? 1 : 0);
  // A replica that never leads has the series too; otherwise an alert on a missing leader would have no data.
  onChange(false);
  return { client, clock, log, identity, onChange, ...leaderElection };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
