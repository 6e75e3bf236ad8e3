import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { createChance } from '../chance.ts';
import { createFaultPlan } from '../faults/fault-plan.ts';
import { createJournal } from '../journal.ts';
import { type Scaleway, startScaleway } from '../scaleway/start-scaleway.ts';
import { clientsOf, type TestScaleway } from '../scaleway/testing/start-test-scaleway.ts';
import type { Surroundings } from '../surroundings.ts';
import { openSceneMac, type SceneMac, type SceneMacOptions } from './scene-mac.ts';

/** The vendor with the official SDK in front of it. */
export type Vendor = Scaleway & Pick<TestScaleway, 'servers' | 'iam'>;

/** What an incident of a Mac alone needs of a scene. */
export interface MacScene {
  /** A Mac as the vendor delivers it. */
  mac(options?: SceneMacOptions): Promise<SceneMac>;
}

/** Where one incident is lived through again: a small world of its own, whose time the scenario moves. */
export interface Scene extends MacScene {
  readonly around: Surroundings & { readonly clock: FakeClock };
  vendor(): Promise<Vendor>;
  /** Lets time pass, a second at a time, until the work ends: for what waits on the world's clock and on nothing else. */
  during<T>(work: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

// An hour: longer than anything the operators' scripts waited for.
const PATIENCE = 3_600;

export async function openScene(seed = 'incident'): Promise<Scene> {
  const clock = fakeClock();
  const chance = createChance(seed);
  const around = { clock, chance, journal: createJournal(clock), faults: createFaultPlan(chance.stream('faults')) };
  const closing: (() => Promise<void>)[] = [];
  return {
    around,
    async mac(options) {
      const opened = openSceneMac(around, work => passTime(clock, work), options);
      closing.push(async () => opened.mac.shutDown());
      await clock.settle();
      return opened;
    },
    async vendor() {
      const scaleway = await startScaleway({ surroundings: around });
      closing.push(() => scaleway.close());
      return { ...scaleway, ...clientsOf(scaleway.apiFor()) };
    },
    during: work => passTime(clock, work),
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

async function passTime<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let done = false;
  const settled = work.finally(() => {
    done = true;
  });
  settled.catch(() => undefined); // whoever awaits the result hears of it
  await clock.settle();
  for (let passed = 0; !done && passed < PATIENCE; passed++) await clock.advance(seconds(1));
  if (!done) throw new Error('the scenario still waits after an hour of the world’s time');
  return settled;
}
