import { kinds } from '@minifleet/api';
import { type Clock, seconds } from '@minifleet/clock';
import {
  type Client,
  type CustomResourceDefinition,
  createInformer,
  customResourceDefinitions,
  silentLog,
} from '@minifleet/kube';

const DEADLINE = seconds(20);

/** Applies our CRDs and returns their names once the API server serves them all. Running it again changes nothing. */
export async function installKinds(options: {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Promise<readonly string[]> {
  const { client, clock, signal } = options;
  const crds = kinds.map(kind => kind.crd());
  const names = crds.map(crd => crd.metadata.name);
  await Promise.all(
    crds.map(crd =>
      client.apply(customResourceDefinitions, crd as unknown as CustomResourceDefinition, {
        fieldManager: 'minifleet',
        force: true,
        fieldValidation: 'Strict',
        signal,
      }),
    ),
  );
  const until = new AbortController();
  const informer = createInformer({ client, resource: customResourceDefinitions, clock, log: silentLog });
  const running = informer.run(AbortSignal.any([signal, until.signal]));
  const timer = clock.after(DEADLINE, () => until.abort(new Error('too late')));
  const served = new Promise<void>(resolve => {
    informer.subscribe(() => {
      if (names.every(name => established(informer.cache.get({ name })))) resolve();
    });
  });
  await Promise.race([served, running]);
  const missing = names.filter(name => !established(informer.cache.get({ name })));
  timer.cancel();
  until.abort();
  await running;
  signal.throwIfAborted();
  if (missing.length > 0) {
    throw new Error(`the API server does not serve ${missing.join(', ')}; look at: kubectl describe crd ${missing[0]}`);
  }
  return names;
}

const established = (crd: CustomResourceDefinition | undefined): boolean =>
  crd?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
