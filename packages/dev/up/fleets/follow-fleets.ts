import type { CliContext } from '@minifleet/cli';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { type FleetMachineDeployment, machineDeployments, machines as machineResource } from '@minifleet/cli/cluster';
import { createLiveLines, type LiveLine, paintFor } from '@minifleet/cli/terminal';
import type { Client, KubeObject, Resource } from '@minifleet/kube';
import { createInformer, silentLog } from '@minifleet/kube';
import { describeFleet, isAvailable } from './describe-fleet.ts';
import { FLEETS, type Fleet } from './share-hosts.ts';

export interface FollowOptions {
  readonly around: CliContext;
  readonly client: Client;
  /** When `up` began. */
  readonly since: number;
  /** Ends the waiting; what is not Available by then goes on by itself. */
  readonly signal: AbortSignal;
}

/** A line for each fleet on its way, which says what it waits for; resolves when all are Available, or to those that are not. */
export async function followFleets({ around, client, since, signal }: FollowOptions): Promise<readonly string[]> {
  const { clock, output } = around;
  const paint = paintFor(output, around.colours);
  const live = output.isTTY === true ? createLiveLines(output, clock) : undefined;
  const deployments = new Map<string, FleetMachineDeployment>();
  const machines = new Map<string, ScalewayAppleSiliconMachine>();
  const lines = new Map<Fleet, LiveLine>();
  const waiting = new Set<Fleet>(FLEETS);
  const enough = new AbortController();
  const time = (): string => `${((clock.now() - since) / 1_000).toFixed(1)} s`;
  const wordsOf = (fleet: Fleet): string => describeFleet(deployments.get(fleet), machinesOf(fleet));
  const machinesOf = (fleet: Fleet): ScalewayAppleSiliconMachine[] =>
    [...machines.values()].filter(({ spec }) => spec.fleetName === fleet);

  const look = (): void => {
    for (const fleet of waiting) {
      const deployment = deployments.get(fleet);
      if (!deployment || !isAvailable(deployment)) continue;
      waiting.delete(fleet);
      const text = `${paint.good('✓')} fleet ${fleet} (${time()} after the start): ${wordsOf(fleet)}`;
      const line = lines.get(fleet);
      if (line) line.keep(text);
      else output.write(`${text}\n`);
    }
    if (waiting.size === 0) enough.abort();
  };

  if (live)
    for (const fleet of FLEETS)
      lines.set(
        fleet,
        live.begin(spinner => `${spinner} fleet ${fleet} (${time()}): ${wordsOf(fleet)}`),
      );
  const until = AbortSignal.any([signal, enough.signal]);
  const follow = <T extends KubeObject>(resource: Resource<T>, into: Map<string, T>): Promise<void> => {
    const informer = createInformer({ client, clock, log: silentLog, resource });
    informer.subscribe(({ type, object }) => {
      if (type === 'deleted') into.delete(object.metadata.name);
      else into.set(object.metadata.name, object);
      look();
    });
    return informer.run(until);
  };
  await Promise.all([follow(machineDeployments, deployments), follow(machineResource, machines)]);
  live?.end();
  return [...waiting].map(fleet => `${fleet}: ${wordsOf(fleet)}`);
}
