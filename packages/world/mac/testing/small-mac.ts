import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { createChance } from '../../chance.ts';
import { createFaultPlan } from '../../faults/fault-plan.ts';
import { createJournal, type Journal } from '../../journal.ts';
import { type BuiltMac, createMac } from '../create-mac.ts';
import { type MacOptions, type MacPart, root, type SessionType, type User } from '../mac.ts';

import { Collector, inputOf } from '../processes/pipe.ts';
import { findExecutable, runProgram } from '../processes/run-program.ts';

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly user?: User;
  readonly session?: SessionType;
  readonly stdin?: string;
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A Mac with the given parts, a clock the test controls, and a way to run a program on it without a shell. */
export interface SmallMac {
  readonly mac: BuiltMac;
  readonly clock: FakeClock;
  readonly journal: Journal;
  /** Runs a program (default: as root over SSH). */
  readonly run: (argv: readonly string[], options?: CommandOptions) => Promise<CommandResult>;
  /** Switches the Mac off and ends its processes. */
  readonly close: () => void;
}

export function smallMac(parts: readonly MacPart[], options: Partial<MacOptions> = {}): SmallMac {
  const clock = fakeClock();
  const journal = createJournal(clock);
  const chance = createChance('small mac');
  const around = { clock, chance, journal, faults: createFaultPlan(chance.stream('faults')) };
  const known = { name: 'mini-01', serverId: 'a-server', address: '127.0.0.1', password: 'hello' };
  const macos = { version: '26.3', build: '25D125' };
  const mac = createMac({ ...known, macos, ...options, parts }, around);
  const small: SmallMac = {
    mac,
    clock,
    journal,
    run: (argv, how = {}) => execute(mac, argv, how),
    close: () => mac.shutDown(),
  };
  return small;
}

/** Runs a program of the Mac like execve: 127 if it does not exist, 137 if the kernel kills it at its start. */
async function execute(mac: BuiltMac, argv: readonly string[], how: CommandOptions = {}): Promise<CommandResult> {
  const out = new Collector();
  const err = new Collector();
  const environment = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', ...how.environment };
  const request = {
    argv,
    user: how.user ?? root,
    session: how.session ?? ('ssh' as const),
    directory: how.directory ?? '/',
    environment,
    stdin: inputOf(how.stdin ?? ''),
    out,
    err,
    signal: how.signal ?? new AbortController().signal,
  };
  const found = findExecutable(mac, request);
  if ('failure' in found) return { code: 127, out: '', err: found.failure };
  if ('killed' in found) return { code: 137, out: '', err: 'Killed: 9' };
  const code = await runProgram(mac, found, request);
  return { code, out: out.toString(), err: err.toString() };
}
