import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { createChance } from '../chance.ts';
import { createFaultPlan } from '../faults/fault-plan.ts';
import { createJournal } from '../journal.ts';
import { type BuiltMac, createMac } from '../mac/create-mac.ts';
import { root } from '../mac/mac.ts';
import { macParts } from '../mac/mac-parts.ts';
import { type ExecuteOptions, execute, type ShellResult } from '../mac/shell/execute.ts';
import { type Scaleway, startScaleway } from '../scaleway/start-scaleway.ts';
import { clientsOf, type TestScaleway } from '../scaleway/testing/start-test-scaleway.ts';
import type { Surroundings } from '../surroundings.ts';

/** A Mac in a scene, used as the operators used theirs: shell text over SSH. */
export interface SceneMac {
  readonly mac: BuiltMac;
  readonly password: string;
  run(script: string, options?: ExecuteOptions): Promise<ShellResult>;
  /** Starts a script and does not let time pass for it. */
  start(script: string, options?: ExecuteOptions): Promise<ShellResult>;
  /** Lets seconds of the world's time pass. */
  pass(count: number): Promise<void>;
  /** Puts a file there as root, as an earlier bootstrap would have left it. */
  write(path: string, content: string | Buffer, mode?: number): void;
  append(path: string, content: string): void;
  read(path: string): Buffer;
}

interface SceneMacOptions {
  /** Whether `/etc/sudoers.d/m1-nopasswd` is there already; it is unless said. */
  readonly passwordlessSudo?: boolean;
  readonly password?: string;
}

const PASSWORD = 'correct horse';

function openSceneMac(
  around: Surroundings & { readonly clock: FakeClock },
  during: <T>(work: Promise<T>) => Promise<T>,
  options: SceneMacOptions = {},
): SceneMac {
  const { password = PASSWORD } = options;
  const mac = createMac(
    {
      name: 'mini-01',
      serverId: around.chance.stream('mini-01').uuid(),
      address: '127.0.0.1',
      password,
      macos: { version: '26.3', build: '25D125' },
      parts: macParts,
    },
    around,
  );
  if (options.passwordlessSudo ?? true) {
    mac.files.write(root, '/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  }
  return useMac({ mac, password, during, pass: count => around.clock.advance(seconds(count)) });
}

interface UseMacOptions extends Pick<SceneMac, 'mac' | 'password' | 'pass'> {
  /** Lets time pass until the work ends; where time passes by itself, the work as it is. */
  readonly during: <T>(work: Promise<T>) => Promise<T>;
}

/** A Mac that is there already, used as the operators used theirs. */
export function useMac({ mac, password, pass, during }: UseMacOptions): SceneMac {
  const { files } = mac;
  return {
    mac,
    password,
    run: (script, how) => during(execute(mac, script, how)),
    start: (script, how) => execute(mac, script, how),
    pass,
    write(path, content, mode = 0o644) {
      if (files.exists(root, path)) files.remove(root, path);
      files.write(root, path, content, { mode });
    },
    append: (path, content) => files.write(root, path, content, { append: true }),
    read: path => files.read(root, path),
  };
}

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
