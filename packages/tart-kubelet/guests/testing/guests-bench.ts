import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { silentLog } from '@minifleet/kube';
import type { HostFile } from '@minifleet/world/testing';
import { makeTart, type SimulatedTart } from '@minifleet/world/testing';
import type { GuestBehaviour } from '@minifleet/world/testing/tart';
import type { GuestSpec, Guests } from '../guest.ts';
import { guestName, parseGuestName } from '../guest-name.ts';
import { createGuests, type GuestsOptions, type OpenGuests } from '../guests.ts';
import { isTartCallOn, killProcesses, listProcesses } from '../process-table.ts';
import { createTart, type TartCli, type TartOptions } from '../tart.ts';

interface BenchOptions {
  readonly host?: HostFile;
  /** Folder of state and logs (default: a new one). */
  readonly directory?: string | undefined;
}

export interface GuestsBench {
  readonly simulated: SimulatedTart;
  readonly state: string;
  readonly logs: string;
  /** An agent on this host; all share the host and its state. */
  agent(more?: Partial<GuestsOptions> & Pick<TartOptions, 'onCall'>): OpenGuests;
  /** Tart by another clock. */
  tart(clock: Clock): TartCli;
  /** A VM that was here before us. */
  foreign(name: string): Promise<void>;
  spec(more?: Partial<GuestSpec>): GuestSpec;
  /** From now on the guest of this spec behaves so. */
  behave(spec: GuestSpec, behaviour: GuestBehaviour): void;
  logOf(spec: GuestSpec): string;
  journal(): string;
}

const supervisorCommand = [
  process.execPath,
  fileURLToPath(new URL('./supervisor-main.ts', import.meta.url)),
  'supervise',
] as const;

/** One simulated Mac with an image `golden`, and as many agents, one after the other, as a test likes. */
export async function makeGuestsBench(
  context: { after(clean: () => Promise<void>): void },
  options: BenchOptions = {},
): Promise<GuestsBench> {
  const simulated = makeTart({ speed: 50, ...options.host });
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'guests-'));
  const [state, logs] = [join(directory, 'state'), join(directory, 'logs')];
  mkdirSync(state);
  const agents: OpenGuests[] = [];
  const byName: Record<string, GuestBehaviour> = { ...options.host?.guests?.byName };
  context.after(async () => {
    for (const agent of agents) agent.close();
    await endAll(simulated, state);
    await simulated.cleanUp();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  await simulated.succeed(['create', 'golden', '--from-ipsw', 'latest']);
  return {
    simulated,
    state,
    logs,
    agent(more = {}) {
      const agent = createGuests({ ...agentOptions(simulated, state, more.onCall), ...more });
      agents.push(agent);
      return agent;
    },
    tart: clock => createTart({ ...tartOptions(simulated), clock }),
    foreign: async name => void (await simulated.succeed(['clone', 'golden', name])),
    spec: more => makeSpec(logs, more),
    behave(spec, behaviour) {
      byName[guestName(spec.id)] = behaviour;
      simulated.change({ ...options.host, guests: { ...options.host?.guests, byName } });
    },
    logOf: spec => readFileSync(spec.logFile, 'utf8'),
    journal: () => readFileSync(join(simulated.world, 'journal.jsonl'), 'utf8'),
  };
}

export type Simulated = Pick<SimulatedTart, 'path' | 'home'>;

function tartOptions({ path, home }: Simulated): TartOptions {
  const KILL_SUPERVISOR_AT = process.env['KILL_SUPERVISOR_AT'];
  const environment = { PATH: process.env['PATH'], HOME: home, TART_HOME: home, KILL_SUPERVISOR_AT };
  return { path, home, environment, clock: systemClock };
}

export function agentOptions(simulated: Simulated, state: string, onCall?: TartOptions['onCall']): GuestsOptions {
  const options = tartOptions(simulated);
  const { path: tartPath, home: tartHome, environment, clock } = options;
  const tart = createTart({ ...options, onCall });
  return {
    directory: state,
    clock,
    log: silentLog,
    tart,
    tartPath,
    tartHome,
    environment,
    supervisor: supervisorCommand,
  };
}

function makeSpec(logs: string, more: Partial<GuestSpec> = {}): GuestSpec {
  const id = more.id ?? { uid: randomUUID(), attempt: 0 };
  return {
    id,
    pod: 'default/test',
    image: 'golden',
    shares: [],
    freshIdentity: true,
    logFile: join(logs, `default_test_${id.uid}`, 'main', `${id.attempt}.log`),
    bootWithin: seconds(20),
    ...more,
  };
}

/** Supervisors and VMs outlive the agents that started them, as they should, but not the test. */
async function endAll(simulated: SimulatedTart, state: string): Promise<void> {
  await killProcesses(({ command }) => command.includes(` supervise ${state}/`), systemClock);
  // Names with a UID alone: `golden` is a VM of every bench, and another may be using its own.
  for (const name of readdirSync(join(simulated.home, 'vms')).filter(parseGuestName)) {
    await killProcesses(({ command }) => command.split(' ').includes(name), systemClock);
  }
}

/** Checks in the process table whether a VM of this name runs. */
export const runs = async (name: string): Promise<boolean> => (await listProcesses()).some(isTartCallOn(name));

export const exited = (guests: Guests, spec: GuestSpec) =>
  eventually(
    () => {
      const state = guests.find(spec.id)?.state;
      return state?.phase === 'exited' ? state.exit : undefined;
    },
    { what: 'the exit of the guest' },
  );

export const running = (guests: Guests, spec: GuestSpec) =>
  eventually(
    () => {
      const state = guests.find(spec.id)?.state;
      return state?.phase === 'running' ? state : undefined;
    },
    { what: 'the guest running' },
  );
