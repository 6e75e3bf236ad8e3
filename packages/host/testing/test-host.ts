import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { createRedactor, type Redactor } from '@minifleet/secret';
import { createChance, createFaultPlan, createJournal, type FaultPlan, type Journal } from '@minifleet/world';
import { type BuiltMac, type CreateMacOptions, createMac, m1, macParts, root } from '@minifleet/world/mac';
import type { Host } from '../host.ts';
import { openHost } from '../open-host.ts';
import type { HostTransport } from '../transport/transport.ts';
import { macTransport } from './mac-transport.ts';

/** A simulated Mac as a host, with its clock in the test's hands. */
export interface TestHost {
  readonly host: Host;
  readonly mac: BuiltMac;
  readonly transport: HostTransport;
  readonly clock: FakeClock;
  readonly journal: Journal;
  readonly faults: FaultPlan;
  readonly redactor: Redactor;
  readonly root: typeof root;
}

export const PASSWORD = 'correct horse';

export interface TestHostOptions extends Partial<CreateMacOptions> {
  /** True if sudo needs no password, as on a prepared host (default: true). */
  readonly passwordlessSudo?: boolean;
}

export function testHost({ passwordlessSudo = true, ...options }: TestHostOptions = {}): TestHost {
  const clock = fakeClock();
  const chance = createChance('test host');
  const journal = createJournal(clock);
  const faults = createFaultPlan(chance.stream('faults'));
  const known = { name: 'mini-01', serverId: chance.uuid(), address: '127.0.0.1', password: PASSWORD };
  const macos = { version: '26.3', build: '25D125' };
  const mac = createMac({ ...known, macos, parts: macParts, ...options }, { clock, chance, journal, faults });
  if (passwordlessSudo) {
    mac.files.write(root, '/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  }
  const transport = macTransport(mac);
  const redactor = createRedactor();
  const host = openHost({ transport, user: m1.name, clock, redactor });
  return { host, mac, transport, clock, journal, faults, redactor, root };
}

/** Lets the test's time pass, a second at a time, until the work ends: for what waits on that clock and on nothing else. */
export async function passTime<T>(clock: FakeClock, work: Promise<T>, patience = 7_200): Promise<T> {
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  ended.catch(() => undefined); // the caller awaits the result and gets the rejection
  await clock.settle();
  for (let passed = 0; !over && passed < patience; passed++) await clock.advance(seconds(1));
  if (!over) throw new Error(`the work still waits after ${patience} seconds of the test’s time`);
  return ended;
}
