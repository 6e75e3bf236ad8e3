import type { CliContext } from '@minifleet/cli';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { type FleetMachineDeployment, machineDeployments, machines as machineResource } from '@minifleet/cli/cluster';
import { createLiveLines, type LiveLine, paintFor } from '@minifleet/cli/terminal';
import type { Client, KubeObject, Resource } from '@minifleet/kube';
import { createInformer, silentLog } from '@minifleet/kube';
import { describeFleet, isAvailable } from './describe-fleet.ts';
import { FLEETS, type FleetName } from './share-hosts.ts';

interface FollowFleetsOptions {
  readonly context: CliContext;
  readonly client: Client;
  /** Start time of `up`. */
  readonly since: number;
  /** Ends the wait. The fleets continue without it. */
  readonly signal: AbortSignal;
}

/** Prints the progress of each fleet until all are Available. Resolves to one line for each fleet that is not. */
export async function followFleets({
  context,
  client,
  since,
  signal,
}: FollowFleetsOptions): Promise<readonly string[]> {
  const { clock, output } = context;
  const paint = paintFor(output, context.colours);
  const live = output.isTTY === true ? createLiveLines(output, clock) : undefined;
  const deployments = new Map<string, FleetMachineDeployment>();
  const machines = new Map<string, ScalewayAppleSiliconMachine>();
  const lines = new Map<FleetName, LiveLine>();
  const waiting = new Set<FleetName>(FLEETS);
  const done = new AbortController();
  const time = (): string => `${((clock.now() - since) / 1_000).toFixed(1)} s`;
  const progressOf = (fleet: FleetName): string => describeFleet(deployments.get(fleet), machinesOf(fleet));
  const machinesOf = (fleet: FleetName): ScalewayAppleSiliconMachine[] =>
    [...machines.values()].filter(({ spec }) => spec.fleetName === fleet);

  const update = (): void => {
    for (const fleet of waiting) {
      const deployment = deployments.get(fleet);
      if (!deployment || !isAvailable(deployment)) continue;
      waiting.delete(fleet);
      const text = `${paint.good('✓')} fleet ${fleet} (${time()} after the start): ${progressOf(fleet)}`;
      const line = lines.get(fleet);
      if (line) line.keep(text);
      else output.write(`${text}\n`);
    }
    if (waiting.size === 0) done.abort();
  };

  if (live)
    for (const fleet of FLEETS)
      lines.set(
        fleet,
        live.begin(spinner => `${spinner} fleet ${fleet} (${time()}): ${progressOf(fleet)}`),
      );
  const until = AbortSignal.any([signal, done.signal]);
  const follow = <T extends KubeObject>(resource: Resource<T>, into: Map<string, T>): Promise<void> => {
    const informer = createInformer({ client, clock, log: silentLog, resource });
    informer.subscribe(({ type, object }) => {
      if (type === 'deleted') into.delete(object.metadata.name);
      else into.set(object.metadata.name, object);
      update();
    });
    return informer.run(until);
  };
  await Promise.all([follow(machineDeployments, deployments), follow(machineResource, machines)]);
  live?.end();
  return [...waiting].map(fleet => `${fleet}: ${progressOf(fleet)}`);
}
