import { systemClock } from '@minifleet/clock';
import {
  configMaps,
  connectClient,
  createMetrics,
  createRuntime,
  defineController,
  keyOf,
  mapped,
  type ObjectKey,
  parseKubeconfig,
  patching,
  secrets,
  settled,
  silentLog,
} from '@minifleet/kube';
import { NAMESPACE } from '../names.ts';
import type { Loop } from './loop.ts';

/** The loop of Minifleet's programs: runtime, shared informers, queue, four workers, metrics, deadlines. */
export function createMinifleetLoop(kubeconfig: string): Loop {
  const selection = { namespace: NAMESPACE };
  const client = connectClient(parseKubeconfig(kubeconfig, { path: 'benchmark' }), { clock: systemClock });
  const runtime = createRuntime({
    name: 'minifleet.dev/benchmark',
    identity: 'benchmark',
    client,
    clock: systemClock,
    log: silentLog,
    metrics: createMetrics(),
  });
  const { cache, synced } = runtime.informer(configMaps, selection);
  const everyKey = (): ObjectKey[] => cache.list().map(keyOf);
  return {
    async start(reconcile) {
      runtime.add(
        defineController({
          name: 'benchmark',
          resource: configMaps,
          selection,
          watches: [mapped(secrets, everyKey, selection)],
          async reconcile(_context, { name }) {
            await reconcile({ namespace: NAMESPACE, name });
            return settled();
          },
        }),
      );
      void runtime.run(new AbortController().signal);
      await synced;
    },
    read: key => cache.get(key),
    async annotate(key, annotations) {
      const object = cache.get(key);
      if (!object) return;
      await patching({ client }, { resource: configMaps, object }, async draft => {
        draft.metadata.annotations = { ...draft.metadata.annotations, ...annotations };
      });
    },
  };
}
