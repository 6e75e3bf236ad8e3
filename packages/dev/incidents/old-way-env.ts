import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import {
  createChance,
  createFaultPlan,
  createJournal,
  type Scaleway,
  startScaleway,
  type WorldDeps,
} from '@minifleet/world';
import {
  type BuiltMac,
  createMac,
  type ExecuteOptions,
  execute,
  macParts,
  root,
  type ShellResult,
} from '@minifleet/world/mac';
import { clientsOf, type TestScaleway } from '@minifleet/world/testing';

/** A simulated Mac, used as the operators used theirs: shell scripts over SSH. */
export interface MacShell {
  readonly mac: BuiltMac;
  readonly password: string;
  run(script: string, options?: ExecuteOptions): Promise<ShellResult>;
  /** Starts a script without advancing the clock. */
  start(script: string, options?: ExecuteOptions): Promise<ShellResult>;
  /** Lets this many seconds of simulated time pass. */
  pass(count: number): Promise<void>;
  /** Writes a file as root, as an earlier bootstrap would have left it. */
  write(path: string, content: string | Buffer, mode?: number): void;
  append(path: string, content: string): void;
  read(path: string): Buffer;
}

interface MacShellOptions {
  /** True if `/etc/sudoers.d/m1-nopasswd` exists (default: true). */
  readonly passwordlessSudo?: boolean;
  readonly password?: string;
}

/** The environment of an incident that needs only a Mac. */
export interface MacEnv {
  /** Returns a Mac as the vendor delivers it. */
  mac(options?: MacShellOptions): Promise<MacShell>;
}

/** The vendor, with clients of the official SDK. */
export type VendorWithClients = Scaleway & Pick<TestScaleway, 'servers' | 'iam'>;

type FakeSurroundings = WorldDeps & { readonly clock: FakeClock };

/** A small world for one incident, whose clock the incident advances. */
export interface OldWayEnv extends MacEnv {
  readonly surroundings: FakeSurroundings;
  vendor(): Promise<VendorWithClients>;
  /** Advances the clock second by second until the work ends. For work that waits only on the simulated clock. */
  during<T>(work: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const PASSWORD = 'correct horse';
/** Longer than any wait in the operators' scripts. */
const MAX_SECONDS = 3_600;

export async function openOldWayEnv(seed = 'incident'): Promise<OldWayEnv> {
  const clock = fakeClock();
  const chance = createChance(seed);
  const surroundings = {
    clock,
    chance,
    journal: createJournal(clock),
    faults: createFaultPlan(chance.stream('faults')),
  };
  const closing: (() => Promise<void>)[] = [];
  const during = <T>(work: Promise<T>): Promise<T> => advanceUntilDone(clock, work);
  return {
    surroundings,
    async mac(options) {
      const opened = openMac(surroundings, during, options);
      closing.push(async () => opened.mac.shutDown());
      await clock.settle();
      return opened;
    },
    async vendor() {
      const scaleway = await startScaleway({ deps: surroundings });
      closing.push(() => scaleway.close());
      return { ...scaleway, ...clientsOf(scaleway.apiFor()) };
    },
    during,
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

function openMac(
  surroundings: FakeSurroundings,
  during: MacShellDeps['during'],
  { password = PASSWORD, passwordlessSudo = true }: MacShellOptions = {},
): MacShell {
  const mac = createMac(
    {
      name: 'mini-01',
      serverId: surroundings.chance.stream('mini-01').uuid(),
      address: '127.0.0.1',
      password,
      macos: { version: '26.3', build: '25D125' },
      parts: macParts,
    },
    surroundings,
  );
  if (passwordlessSudo) {
    mac.files.write(root, '/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  }
  return createMacShell({ mac, password, during, pass: count => surroundings.clock.advance(seconds(count)) });
}

interface MacShellDeps extends Pick<MacShell, 'mac' | 'password' | 'pass'> {
  /** Advances a fake clock until the work ends; returns the work unchanged where the clock runs by itself. */
  readonly during: <T>(work: Promise<T>) => Promise<T>;
}

export function createMacShell({ mac, password, pass, during }: MacShellDeps): MacShell {
  const { files } = mac;
  return {
    mac,
    password,
    run: (script, options) => during(execute(mac, script, options)),
    start: (script, options) => execute(mac, script, options),
    pass,
    write(path, content, mode = 0o644) {
      if (files.exists(root, path)) files.remove(root, path);
      files.write(root, path, content, { mode });
    },
    append: (path, content) => files.write(root, path, content, { append: true }),
    read: path => files.read(root, path),
  };
}

async function advanceUntilDone<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let done = false;
  const settled = work.finally(() => {
    done = true;
  });
  settled.catch(() => undefined); // the caller gets the rejection from the returned promise
  await clock.settle();
  for (let passed = 0; !done && passed < MAX_SECONDS; passed++) await clock.advance(seconds(1));
  if (!done) throw new Error('the incident did not end within an hour of simulated time');
  return settled;
}
