/**
 * Options of a guest manager on the simulated Tart. Apart from `guests-bench.ts`: agents that a test kills are processes
 * of their own, and each loads this file. Loading the simulated world took most of the processor time of such an agent.
 */
import { fileURLToPath } from 'node:url';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { silentLog } from '@minifleet/kube/log';
import type { SimulatedTart } from '@minifleet/world/testing';
import type { GuestSpec, Guests } from '../guest.ts';
import type { GuestsOptions } from '../guests.ts';
import { createTart, type TartOptions } from '../tart.ts';

const supervisorCommand = [
  process.execPath,
  fileURLToPath(new URL('./supervisor-main.ts', import.meta.url)),
  'supervise',
] as const;

/** Simulated Tart that the guests run on. */
export type Simulated = Pick<SimulatedTart, 'path' | 'home'>;

export function tartOptions({ path, home }: Simulated): TartOptions {
  // Without the compile cache, a supervisor that starts from its sources takes three times as long.
  const { PATH, NODE_COMPILE_CACHE, KILL_SUPERVISOR_AT } = process.env;
  const environment = { PATH, NODE_COMPILE_CACHE, HOME: home, TART_HOME: home, KILL_SUPERVISOR_AT };
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

export const exited = (guests: Guests, spec: GuestSpec) =>
  eventually(
    () => {
      const state = guests.find(spec.id)?.state;
      return state?.phase === 'exited' ? state.exit : undefined;
    },
    { what: 'the exit of the guest' },
  );
