import { hostClaim, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { isConditionTrue, nodes, secrets } from '@minifleet/kube';
import { TOKENS } from '../../join/bootstrap-token.ts';
import { type FleetWorld, fleetWorld } from '../../program/testing/fleet-world.ts';
import type { EffectKind } from '../../program/testing/life.ts';
import type { Guest } from '../../program/testing/pool-macs.ts';
import { type StartOptions, startProvider } from '../../program/testing/start-provider.ts';
import { type FleetSeen, wrongAtRest, wrongNow } from './invariants.ts';
import { type WatchedLives, watchedLives } from './watched-lives.ts';

const machines = scalewayAppleSiliconMachine.resource;

/** A world with providers in it. */
export interface FleetBench extends FleetWorld, WatchedLives<EffectKind, StartOptions> {
  readonly guests: Guest[];
  find(name: string): Promise<ScalewayAppleSiliconMachine | undefined>;
  isReady(name: string): Promise<boolean>;
  /** True if nothing is left of the machine and its host is free again. */
  isReturned(name: string): Promise<boolean>;
}

export async function fleetBench(): Promise<FleetBench> {
  const world = await fleetWorld();
  const { api, clock, vendor, macs } = world;
  const { client } = api;
  const guests: Guest[] = [];

  async function look(): Promise<FleetSeen> {
    const list = async <T>(items: Promise<{ readonly items: T[] }>): Promise<T[]> => (await items).items;
    return {
      servers: vendor.all(),
      claims: await list(client.list(hostClaim.resource)),
      machines: await list(client.list(machines)),
      nodes: await list(client.list(nodes)),
      tokens: await list(client.list(secrets, TOKENS)),
      taken: macs.taken,
      guests,
    };
  }

  const find = (name: string) => client.find(machines, { namespace: 'fleet', name });
  const lives = watchedLives<EffectKind, StartOptions>({
    clock,
    start: options => startProvider(world, options),
    pass: () => world.pass(),
    wrongNow: async () => wrongNow(await look()),
    wrongAtRest: async () => wrongAtRest(await look()),
    patience: minutes(120),
    atRestAfter: minutes(6),
  });

  // `wrong` is read when it is asked for: a spread would read it now.
  return Object.assign(lives, world, {
    guests,
    find,
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
