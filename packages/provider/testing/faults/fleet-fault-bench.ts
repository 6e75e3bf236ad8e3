import { type MacHost, macHost, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { isConditionTrue, nodes, secrets } from '@minifleet/kube';
import { afterWrites } from '@minifleet/kube/testing';
import { TOKENS } from '../../join/bootstrap-token.ts';
import { type FleetWorld, fleetWorld } from '../../program/testing/fleet-world.ts';
import type { PoolGuest } from '../../program/testing/pool-macs.ts';
import type { EffectKind } from '../../program/testing/program-run.ts';
import { type ProviderStartOptions, startProvider } from '../../program/testing/start-provider.ts';
import { type FleetSnapshot, violationsAtRest, violationsNow } from './invariants.ts';
import { type MonitoredRuns, monitoredRuns } from './monitored-runs.ts';

const machines = scalewayAppleSiliconMachine.resource;

/** A simulated fleet and the providers that manage it. */
export interface FleetFaultBench extends FleetWorld, MonitoredRuns<EffectKind, ProviderStartOptions> {
  readonly guests: PoolGuest[];
  find(name: string): Promise<ScalewayAppleSiliconMachine | undefined>;
  /** Host that the machine holds. */
  hostOf(name: string): Promise<MacHost | undefined>;
  isReady(name: string): Promise<boolean>;
  /** True if nothing is left of the machine and its host is free again. */
  isReturned(name: string): Promise<boolean>;
}

export async function fleetFaultBench(): Promise<FleetFaultBench> {
  const world = await fleetWorld();
  const { api, clock, vendor, macs } = world;
  const { client } = api;
  const guests: PoolGuest[] = [];

  const list = async <T>(items: Promise<{ readonly items: T[] }>): Promise<T[]> => (await items).items;
  const objects = afterWrites(api, async () => ({
    hosts: await list(client.list(macHost.resource)),
    machines: await list(client.list(machines)),
    nodes: await list(client.list(nodes)),
    tokens: await list(client.list(secrets, TOKENS)),
  }));
  const observe = async (): Promise<FleetSnapshot> => ({
    ...(await objects()),
    servers: vendor.all(),
    leaseAcquisitions: macs.leaseAcquisitions,
    guests,
  });

  const find = (name: string) => client.find(machines, { namespace: 'fleet', name });
  const runs = monitoredRuns<EffectKind, ProviderStartOptions>({
    clock,
    start: options => startProvider(world, options),
    pass: () => world.pass(),
    violationsNow: async () => violationsNow(await observe()),
    violationsAtRest: async () => violationsAtRest(await observe()),
    timeout: minutes(120),
    settleTime: minutes(6),
  });

  // `violations` is a getter. A spread would read it now.
  return Object.assign(runs, world, {
    guests,
    find,
    async hostOf(name: string) {
      const { items } = await client.list(macHost.resource);
      return items.find(({ spec }) => spec.consumerRef?.name === name);
    },
    async isReady(name: string) {
      const machine = await find(name);
      return machine !== undefined && isConditionTrue(machine, 'Ready');
    },
    async isReturned(name: string) {
      const free = vendor.all().every(server => server.state === 'ready' && server.name !== name);
      return free && !(await find(name)) && !(await client.find(nodes, { name }));
    },
  });
}
