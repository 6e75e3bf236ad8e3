import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { HostFile } from '@minifleet/world/testing';
import { makeTart, type SimulatedTart } from '@minifleet/world/testing';
import type { GuestBehaviour } from '@minifleet/world/testing/tart';
import type { GuestSpec, Guests } from '../guest.ts';
import { guestName, parseGuestName } from '../guest-name.ts';
import { createGuests, type GuestsOptions, type OpenGuests } from '../guests.ts';
import { isTartCallOn, killProcesses, listProcesses } from '../process-table.ts';
import { createTart, type TartCli, type TartOptions } from '../tart.ts';
import { agentOptions, tartOptions } from './agent-options.ts';

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

export const running = (guests: Guests, spec: GuestSpec) =>
  eventually(
    () => {
      const state = guests.find(spec.id)?.state;
      return state?.phase === 'running' ? state : undefined;
    },
    { what: 'the guest running' },
  );
