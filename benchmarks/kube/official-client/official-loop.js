// Plain JavaScript: the types of the client are installed only for the benchmark, and type checks run without them.
import { CoreV1Api, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { NAMESPACE } from '../names.ts';

// The project's own example waits five seconds before it restarts a broken informer. One second favours the baseline.
const RESTART_AFTER = 1_000;

/**
 * Implements the measured loop on the official client, as the client's informer example shows: typed list function,
 * callbacks that reconcile at once, a timer that restarts the informer after an error. The client has no queue,
 * workers, retries or metrics, so there are none. The only addition: one key is never reconciled twice at once.
 *
 * @param {string} kubeconfig
 * @returns {import('../subject/loop.ts').Loop}
 */
export function createOfficialLoop(kubeconfig) {
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
      for (const verb of ['add', 'update', 'delete']) objects.on(verb, object => wake(keyOf(object)));
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

function oneAtATime(reconcile) {
  const running = new Map();
  return key => {
    const text = `${key.namespace}/${key.name}`;
    const pass = (running.get(text) ?? Promise.resolve())
      .then(() => reconcile(key))
      .catch(error => console.error(error))
      .finally(() => {
        if (running.get(text) === pass) running.delete(text);
      });
    running.set(text, pass);
  };
}

const keyOf = object => ({ namespace: NAMESPACE, name: object.metadata?.name ?? '' });
