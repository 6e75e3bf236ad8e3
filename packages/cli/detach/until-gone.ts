import type { Duration } from '@minifleet/clock';
import {
  type Client,
  createInformer,
  type Informer,
  type KubeObject,
  keyOf,
  type Resource,
  silentLog,
} from '@minifleet/kube';
import { type CoreMachine, coreMachines, ownerOf, type Samm, saying } from '../cluster/machines.ts';
import { machines } from '../cluster/resources.ts';
import type { CliContext } from '../context.ts';
import { unlessStopped } from '../stop.ts';

export interface Waiting {
  readonly around: CliContext;
  readonly timeout: Duration;
  /** Where the deletion is, whenever something changes. */
  readonly tell: (words: string) => void;
}

/** Whether the machine was gone in time. What core says counts until the machine itself tells of its end. */
export async function untilGone(client: Client, samm: Samm, { around, timeout, tell }: Waiting): Promise<boolean> {
  const stop = new AbortController();
  const end = Promise.withResolvers<boolean>();
  const timer = around.clock.after(timeout, () => end.resolve(false));
  const follow = <T extends KubeObject>(resource: Resource<T>, name: string): Informer<T> =>
    createInformer({ client, resource, selection: selectionOf(samm, name), clock: around.clock, log: silentLog });
  const ours = follow(machines, samm.metadata.name);
  const cores = follow(coreMachines, ownerOf(samm)?.name ?? samm.metadata.name);
  const look = (): void => {
    const now = ours.cache.get(keyOf(samm));
    if (now && now.metadata.uid === samm.metadata.uid) tell(whereIs(now, cores.cache.list()[0]));
    else if (ours.hasSynced) end.resolve(true);
  };
  for (const informer of [ours, cores]) informer.subscribe(look);
  const running = [ours.run(stop.signal), cores.run(stop.signal)];
  void ours.synced.then(look);
  try {
    return await unlessStopped(around, end.promise);
  } finally {
    timer.cancel();
    stop.abort();
    await Promise.all(running);
  }
}

const selectionOf = ({ metadata }: Samm, name: string) => ({
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  fieldSelector: `metadata.name=${name}`,
});

export function whereIs(samm: Samm, machine: CoreMachine | undefined): string {
  const told = saying(samm, 'Deleting', 'True') ?? (machine && saying(machine, 'Deleting', 'True'));
  if (told !== undefined) return told;
  const paused = saying(samm, 'Paused', 'True');
  return paused === undefined ? 'its deletion has been asked for' : `it waits: ${paused}`;
}
