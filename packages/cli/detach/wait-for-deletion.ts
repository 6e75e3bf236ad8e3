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
import { conditionText, type InfraMachine, type OwnerMachine, ownerMachines, ownerOf } from '../cluster/machines.ts';
import { resourceOf } from '../cluster/resources.ts';
import type { CliContext } from '../context.ts';
import { untilAborted } from '../stop.ts';

interface DeletionWaitOptions {
  readonly context: CliContext;
  readonly timeout: Duration;
  /** Receives the deletion status after each change. */
  readonly report: (status: string) => void;
}

/** Returns true if the machine is deleted before the timeout. The Cluster API Machine is watched for its Deleting condition. */
export async function waitForDeletion(
  client: Client,
  machine: InfraMachine,
  { context, timeout, report }: DeletionWaitOptions,
): Promise<boolean> {
  const stop = new AbortController();
  const end = Promise.withResolvers<boolean>();
  const timer = context.clock.after(timeout, () => end.resolve(false));
  const follow = <T extends KubeObject>(resource: Resource<T>, name: string): Informer<T> =>
    createInformer({ client, resource, selection: selectionOf(machine, name), clock: context.clock, log: silentLog });
  const machineInformer = follow(resourceOf(machine), machine.metadata.name);
  const ownerInformer = follow(ownerMachines, ownerOf(machine)?.name ?? machine.metadata.name);
  const check = (): void => {
    const now = machineInformer.cache.get(keyOf(machine));
    if (now && now.metadata.uid === machine.metadata.uid) report(deletionStatus(now, ownerInformer.cache.list()[0]));
    else if (machineInformer.hasSynced) end.resolve(true);
  };
  for (const informer of [machineInformer, ownerInformer]) informer.subscribe(check);
  const running = [machineInformer.run(stop.signal), ownerInformer.run(stop.signal)];
  void machineInformer.synced.then(check);
  try {
    return await untilAborted(context, end.promise);
  } finally {
    timer.cancel();
    stop.abort();
    await Promise.all(running);
  }
}

const selectionOf = ({ metadata }: InfraMachine, name: string) => ({
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  fieldSelector: `metadata.name=${name}`,
});

/** Returns the Deleting condition of the machine, or else of its Cluster API Machine. */
function deletionStatus(machine: InfraMachine, ownerMachine: OwnerMachine | undefined): string {
  const progress =
    conditionText(machine, 'Deleting', 'True') ?? (ownerMachine && conditionText(ownerMachine, 'Deleting', 'True'));
  if (progress !== undefined) return progress;
  const paused = conditionText(machine, 'Paused', 'True');
  return paused === undefined ? 'deletion requested' : `waiting: ${paused}`;
}
