import {
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { keyString, type ObjectKey } from '@minifleet/kube';
import { NAMESPACE } from '../names.ts';
import type { Loop, Reconcile } from './loop.ts';

// The project's own example waits five seconds before it starts a broken informer again; one is kinder to the baseline.
const RESTART_AFTER = 1_000;

/**
 * The same loop written plainly on the official client, as its informer example shows: typed list function, callbacks
 * that reconcile at once, a timer that restarts the informer after an error. The client has no queue, workers, retries
 * or metrics, so there are none; all that is added is that one key is not reconciled twice at once.
 */
export function createOfficialLoop(kubeconfig: string): Loop {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const path = `/api/v1/namespaces/${NAMESPACE}`;
  const objects = makeInformer(config, `${path}/configmaps`, () =>
    api.listNamespacedConfigMap({ namespace: NAMESPACE }),
  );
  const settings = makeInformer(config, `${path}/secrets`, () => api.listNamespacedSecret({ namespace: NAMESPACE }));
  for (const informer of [objects, settings]) {
    informer.on('error', () => void setTimeout(() => void informer.start(), RESTART_AFTER));
  }
  return {
    async start(reconcile) {
      const wake = oneAtATime(reconcile);
      for (const verb of ['add', 'update', 'delete'] as const) objects.on(verb, object => wake(keyOf(object)));
      settings.on('update', () => {
        for (const object of objects.list()) wake(keyOf(object));
      });
      await Promise.all([objects.start(), settings.start()]);
    },
    read: ({ name, namespace }) => objects.get(name, namespace),
    async annotate({ name, namespace }, annotations) {
      const request = { name, namespace, body: { metadata: { annotations } } };
      await api.patchNamespacedConfigMap(request, setHeaderOptions('Content-Type', PatchStrategy.MergePatch));
    },
  };
}

function oneAtATime(reconcile: Reconcile): (key: Required<ObjectKey>) => void {
  const running = new Map<string, Promise<void>>();
  return key => {
    const text = keyString(key);
    const pass = (running.get(text) ?? Promise.resolve())
      .then(() => reconcile(key))
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        if (running.get(text) === pass) running.delete(text);
      });
    running.set(text, pass);
  };
}

const keyOf = (object: KubernetesObject): Required<ObjectKey> => ({
  namespace: NAMESPACE,
  name: object.metadata?.name ?? '',
});
