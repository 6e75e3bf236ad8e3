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
import {
  conditionText,
  type OwnerMachine,
  ownerMachines,
  ownerOf,
  type ScalewayAppleSiliconMachine,
} from '../cluster/machines.ts';
import { machines } from '../cluster/resources.ts';
import type { CliContext } from '../context.ts';
import { untilAborted } from '../stop.ts';

export interface DeletionWaitOptions {
  readonly context: CliContext;
  readonly timeout: Duration;
  /** Where the deletion is, whenever something changes. */
  readonly tell: (words: string) => void;
}

/** Whether the machine was gone in time. What core says counts until the machine itself tells of its end. */
export async function waitForDeletion(
  client: Client,
  machine: ScalewayAppleSiliconMachine,
  { context, timeout, tell }: DeletionWaitOptions,
): Promise<boolean> {
  const stop = new AbortController();
  const end = Promise.withResolvers<boolean>();
  const timer = context.clock.after(timeout, () => end.resolve(false));
  const follow = <T extends KubeObject>(resource: Resource<T>, name: string): Informer<T> =>
    createInformer({ client, resource, selection: selectionOf(machine, name), clock: context.clock, log: silentLog });
  const ours = follow(machines, machine.metadata.name);
  const cores = follow(ownerMachines, ownerOf(machine)?.name ?? machine.metadata.name);
  const look = (): void => {
    const now = ours.cache.get(keyOf(machine));
    if (now && now.metadata.uid === machine.metadata.uid) tell(deletionStatus(now, cores.cache.list()[0]));
    else if (ours.hasSynced) end.resolve(true);
  };
  for (const informer of [ours, cores]) informer.subscribe(look);
  const running = [ours.run(stop.signal), cores.run(stop.signal)];
  void ours.synced.then(look);
  try {
    return await untilAborted(context, end.promise);
  } finally {
    timer.cancel();
    stop.abort();
    await Promise.all(running);
  }
}

const selectionOf = ({ metadata }: ScalewayAppleSiliconMachine, name: string) => ({
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  fieldSelector: `metadata.name=${name}`,
});

export function deletionStatus(machine: ScalewayAppleSiliconMachine, ownerMachine: OwnerMachine | undefined): string {
  const told =
    conditionText(machine, 'Deleting', 'True') ?? (ownerMachine && conditionText(ownerMachine, 'Deleting', 'True'));
  if (told !== undefined) return told;
  const paused = conditionText(machine, 'Paused', 'True');
  return paused === undefined ? 'its deletion has been asked for' : `it waits: ${paused}`;
}
