import { createInformer, type Pod, pods as podResource } from '@minifleet/kube';
import { inheritedVms } from './decide/inherited-vms.ts';
import { isTerminal } from './decide/pod-table.ts';
import { createConfigSource } from './environment/config-source.ts';
import type { PodDeps, PodsOptions } from './pod-context.ts';
import { createPodWorker, type PodWorker } from './pod-worker.ts';
import { createObjectWatches } from './volumes/object-watches.ts';
import { createTokenSource } from './volumes/service-account-tokens.ts';

/** Runs the Pods assigned to this node, one worker per Pod. */
export interface Pods {
  /** Runs until the signal aborts. Guests outlive the agent and keep running. */
  run(signal: AbortSignal): Promise<void>;
  /** Last observed Pods, including finished ones. */
  list(): readonly Pod[];
  find(namespace: string, name: string): Pod | undefined;
  /** True after the first full list; before that, an empty list means nothing. */
  readonly synced: boolean;
}

export function createPods(options: PodsOptions): Pods {
  const { client, clock, log, guests, nodeName } = options;
  const workers = new Map<string, PodWorker>();
  const selection = { fieldSelector: `spec.nodeName=${nodeName}` };
  const informer = createInformer<Pod>({ client, resource: podResource, selection, clock, log });
  const deps: PodDeps = {
    ...options,
    config: createConfigSource(client, clock),
    tokens: options.tokens ?? createTokenSource(client, clock),
    watches: createObjectWatches({ client, clock, log }),
    admittedBeside: uid =>
      [...workers].flatMap(([other, { pod, admitted }]) =>
        other !== uid && admitted && pod && !isTerminal(pod) ? [pod] : [],
      ),
  };

  function workerOf(uid: string, pod: Pod | undefined): PodWorker {
    const known = workers.get(uid);
    if (known) return known;
    const worker = createPodWorker({
      uid,
      pod,
      deps,
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
      if (change.type === 'deleted') return workers.get(uid)?.markDeleted(change.object);
      if (change.type === 'added' && !change.initial) options.stages?.bound(uid);
      const worker = workerOf(uid, change.object);
      worker.update(change.object);
    });
    // Guests whose Pod was deleted while no agent ran.
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
      // Subscribes only after the list is complete: until then every guest would appear to be without a Pod.
      if (!signal.aborted) await guests.inherit(inheritedVms(informer.cache.list(), guests.all()));
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
