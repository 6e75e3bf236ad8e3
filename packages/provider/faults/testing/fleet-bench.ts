import { hostClaim, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { type Duration, minutes } from '@minifleet/clock';
import { isConditionTrue, nodes, secrets } from '@minifleet/kube';
import { TOKENS } from '../../join/bootstrap-token.ts';
import { type FleetWorld, fleetWorld } from '../../program/testing/fleet-world.ts';
import type { Life } from '../../program/testing/life.ts';
import type { Guest } from '../../program/testing/pool-macs.ts';
import { type StartOptions, startProvider } from '../../program/testing/start-provider.ts';
import { type FleetSeen, wrongAtRest, wrongNow } from '../invariants.ts';

const machines = scalewayAppleSiliconMachine.resource;
const PATIENCE = minutes(120);
/** Longer than any wait that a thing at rest may have. */
const AT_REST_AFTER = minutes(6);

/** A world with providers in it, where each that dies is followed by another, and everything is watched. */
export interface FleetBench extends FleetWorld {
  /** One more provider; the first one is followed by another when it dies. */
  start(options?: StartOptions): Life;
  /** It dies, and nobody follows it. */
  leave(life: Life): void;
  readonly guests: Guest[];
  /** What was wrong so far. */
  readonly wrong: readonly string[];
  find(name: string): Promise<ScalewayAppleSiliconMachine | undefined>;
  isReady(name: string): Promise<boolean>;
  /** Whether nothing is left of it and its host is free again. */
  isReturned(name: string): Promise<boolean>;
  /** Lets time pass until it is so. False, and a wrong, when it never is. */
  until(what: string, so: () => Promise<boolean>, patience?: Duration): Promise<boolean>;
  /** Says it is wrong when it is not so. */
  expect(what: string, so: boolean): void;
  /** Lets time pass, then looks at what must hold at rest. */
  rest(): Promise<void>;
  /** Ends all that runs. */
  end(): void;
}

export async function fleetBench(): Promise<FleetBench> {
  const world = await fleetWorld();
  const { api, clock, vendor, macs } = world;
  const { client } = api;
  const wrong = new Set<string>();
  const guests: Guest[] = [];
  let lives: { life: Life; readonly options: StartOptions }[] = [];

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

  /** The one who died was struck; the one who follows is not. */
  function revive(): void {
    lives = lives.map(one => {
      if (!one.life.dead) return one;
      const { meet: _, ...options } = one.options;
      return { life: startProvider(world, options), options };
    });
  }

  async function moment(): Promise<void> {
    revive();
    await world.pass();
    for (const words of wrongNow(await look())) wrong.add(words);
  }

  const find = (name: string) => client.find(machines, { namespace: 'fleet', name });

  return {
    ...world,
    guests,
    get wrong() {
      return [...wrong];
    },
    start(options = {}) {
      const life = startProvider(world, options);
      lives.push({ life, options });
      return life;
    },
    leave(life) {
      life.kill();
      lives = lives.filter(one => one.life !== life);
    },
    find,
    async isReady(name) {
      const machine = await find(name);
      return machine !== undefined && isConditionTrue(machine, 'Ready');
    },
    async isReturned(name) {
      const free = vendor.all().every(server => server.state === 'ready' && server.name !== name);
      return free && !(await find(name)) && !(await client.find(nodes, { name }));
    },
    async until(what, so, patience = PATIENCE) {
      const end = clock.now() + patience;
      while (!(await so())) {
        if (clock.now() >= end) {
          wrong.add(`it never came to this: ${what}`);
          return false;
        }
        await moment();
      }
      return true;
    },
    expect(what, so) {
      if (!so) wrong.add(`this is not so: ${what}`);
    },
    async rest() {
      const end = clock.now() + AT_REST_AFTER;
      while (clock.now() < end) await moment();
      const seen = await look();
      for (const words of [...wrongNow(seen), ...wrongAtRest(seen)]) wrong.add(words);
    },
    end() {
      for (const { life } of lives) life.kill();
    },
  };
}
