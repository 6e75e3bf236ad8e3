import type { Clock } from '@minifleet/clock';
import {
  type Client,
  configMaps,
  createInformer,
  type KubeObject,
  type Log,
  type Resource,
  secrets,
} from '@minifleet/kube';
import type { ConfigReference } from '../environment/config-source.ts';

/** Notifies of changes to a ConfigMap or Secret. One watch per object, however many volumes use it, as in kubelet. */
export interface ObjectWatches {
  follow(reference: ConfigReference, onChange: () => void): () => void;
}

interface ObjectWatch {
  readonly listeners: Set<() => void>;
  readonly stop: AbortController;
}

interface ObjectWatchesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}

export function createObjectWatches(options: ObjectWatchesOptions): ObjectWatches {
  const followed = new Map<string, ObjectWatch>();
  return {
    follow(reference, onChange) {
      const key = `${reference.kind}/${reference.namespace}/${reference.name}`;
      const one = followed.get(key) ?? begin(options, reference);
      followed.set(key, one);
      one.listeners.add(onChange);
      return () => {
        one.listeners.delete(onChange);
        if (one.listeners.size > 0 || followed.get(key) !== one) return;
        one.stop.abort();
        followed.delete(key);
      };
    },
  };
}

function begin(options: ObjectWatchesOptions, { kind, namespace, name }: ConfigReference): ObjectWatch {
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  const resource: Resource<KubeObject> = kind === 'secret' ? secrets : configMaps;
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  const informer = createInformer({ ...options, resource, selection });
  informer.subscribe(change => {
    // The launch has already read the state at the start of the watch.
    if (change.type === 'added' && change.initial) return;
    for (const listener of listeners) listener();
  });
  void informer.run(stop.signal);
  return { listeners, stop };
}
