import { createInformer, type Pod, pods as podResource } from '@minifleet/kube';
import { isTerminal } from './decide/pod-table.ts';
import { createConfigSource } from './environment/config-source.ts';
import type { PodsOptions, Surroundings } from './pod-context.ts';
import { createWorker, type Worker } from './pod-worker.ts';
import { createObjectWatches } from './volumes/object-watches.ts';
import { createTokenSource } from './volumes/service-account-tokens.ts';

/** The Pods of this node: each is run as the API server asks, each by a worker of its own. */
export interface Pods {
  /** Runs until the signal aborts. Guests are left as they are: they outlive the agent. */
  run(signal: AbortSignal): Promise<void>;
  /** As last seen, finished ones too. */
  list(): readonly Pod[];
  find(namespace: string, name: string): Pod | undefined;
  /** True once the first full list is in: before, an empty list says nothing. */
  readonly synced: boolean;
}

export function createPods(options: PodsOptions): Pods {
  const { client, clock, log, guests, nodeName } = options;
  const workers = new Map<string, Worker>();
  const selection = { fieldSelector: `spec.nodeName=${nodeName}` };
  const informer = createInformer<Pod>({ client, resource: podResource, selection, clock, log });
  const around: Surroundings = {
    ...options,
    config: createConfigSource(client, clock),
    tokens: options.tokens ?? createTokenSource(client, clock),
    watches: createObjectWatches({ client, clock, log }),
    admittedBeside: uid =>
      [...workers].flatMap(([other, { pod, admitted }]) =>
        other !== uid && admitted && pod && !isTerminal(pod) ? [pod] : [],
      ),
  };

  function workerOf(uid: string, pod: Pod | undefined): Worker {
    const known = workers.get(uid);
    if (known) return known;
    const worker = createWorker({
      uid,
      pod,
      around,
      onEnd() {
        workers.delete(uid);
        options.stages?.gone(uid);
      },
    });
    workers.set(uid, worker);
    return worker;
  }

  function subscribe(): () => void {
    const unwatch = guests.onChange(({ spec }) => workers.get(spec.id.uid)?.wake());
    const unsubscribe = informer.subscribe(change => {
      const { uid = '' } = change.object.metadata;
      if (change.type === 'deleted') return workers.get(uid)?.lose(change.object);
      if (change.type === 'added' && !change.initial) options.stages?.bound(uid);
      const worker = workerOf(uid, change.object);
      worker.see(change.object);
    });
    // Guests whose Pod went while nobody looked.
    for (const { spec } of guests.all()) workerOf(spec.id.uid, undefined).wake();
    return () => {
      unwatch();
      unsubscribe();
    };
  }

  return {
    async run(signal) {
      await guests.recover();
      const following = informer.run(signal);
      await Promise.race([informer.synced, following]);
      // Not before the list is complete: until then every guest would look like one whose Pod is gone.
      const unsubscribe = signal.aborted ? () => undefined : subscribe();
      await following;
      unsubscribe();
      await Promise.all([...workers.values()].map(worker => worker.stop()));
    },
    list: () => informer.cache.list(),
    find: (namespace, name) => informer.cache.get({ namespace, name }),
    get synced() {
      return informer.hasSynced;
    },
  };
}
