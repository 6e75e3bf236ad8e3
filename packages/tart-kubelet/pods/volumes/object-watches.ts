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

/** Tells when a ConfigMap or Secret changes: one watch per object, however many volumes show it, as kubelet does. */
export interface ObjectWatches {
  follow(reference: ConfigReference, onChange: () => void): () => void;
}

interface Followed {
  readonly listeners: Set<() => void>;
  readonly stop: AbortController;
}

interface ObjectWatchesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}

export function createObjectWatches(options: ObjectWatchesOptions): ObjectWatches {
  const followed = new Map<string, Followed>();
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

function begin(options: ObjectWatchesOptions, { kind, namespace, name }: ConfigReference): Followed {
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  const resource: Resource<KubeObject> = kind === 'secret' ? secrets : configMaps;
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  const informer = createInformer({ ...options, resource, selection });
  informer.subscribe(change => {
    // What was there when the watch began has been read by the launch.
    if (change.type === 'added' && change.initial) return;
    for (const listener of listeners) listener();
  });
  void informer.run(stop.signal);
  return { listeners, stop };
}
