import { scalewayAppleSiliconMachine } from '@minifleet/api';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, createInformer, isConditionTrue, silentLog } from '@minifleet/kube';
import { machineDeployments } from '@minifleet/provider/testing/cluster-api';
import { FLEET, readyWithinSeconds } from '../names.ts';

/** Resolves when that many machines are Ready; rejects after a timeout with the messages of the others. */
export async function awaitFleetReady(client: Client, machines: number): Promise<void> {
  const stop = new AbortController();
  const informer = createInformer({
    client,
    resource: scalewayAppleSiliconMachine.resource,
    clock: systemClock,
    log: silentLog,
  });
  const ready = Promise.withResolvers<void>();
  informer.subscribe(() => {
    if (informer.cache.list().filter(machine => isConditionTrue(machine, 'Ready')).length >= machines) ready.resolve();
  });
  const within = readyWithinSeconds(machines);
  const late = (): void => {
    const waiting = informer.cache.list().filter(machine => !isConditionTrue(machine, 'Ready'));
    const messages = waiting.slice(0, 3).map(({ metadata, status }) => {
      const message = status?.conditions?.find(({ type }) => type === 'Ready')?.message;
      return `${metadata.name}: ${message ?? 'no condition'}`;
    });
    ready.reject(new Error(`${waiting.length} machines are not Ready after ${within} s; ${messages.join('; ')}`));
  };
  const deadline = setTimeout(late, within * 1_000);
  const following = informer.run(stop.signal);
  try {
    await ready.promise;
  } finally {
    clearTimeout(deadline);
    stop.abort();
    await following;
  }
}

/** Resolves when Cluster API has observed all machines. Until then it writes to Machines and Nodes. */
export async function awaitFleetAvailable(client: Client, machines: number): Promise<void> {
  const available = async (): Promise<boolean> => {
    const { status } = await client.get(machineDeployments, { namespace: 'default', name: FLEET });
    return status?.availableReplicas === machines;
  };
  const deadline = seconds(readyWithinSeconds(machines));
  await eventually(available, { interval: seconds(1), deadline, what: `${machines} available machines` });
}
