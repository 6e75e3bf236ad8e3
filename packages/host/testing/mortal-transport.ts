import type { Command, CommandOutcome, HostTransport } from '../transport/transport.ts';
import type { TestHost } from './test-host.ts';

/** Ways in which caller and host can be separated at a command. */
export const partings = ['lost before', 'lost during', 'lost after', 'caller dead', 'host reboots'] as const;
export type Parting = (typeof partings)[number];

export interface Mortal {
  readonly transport: HostTransport;
  /** Resolves when its caller hears and says nothing any more. */
  readonly died: Promise<void>;
}

interface MortalOptions {
  /** Counted from 1. */
  readonly command: number;
  readonly how: Parting;
  readonly onCommand?: (command: number) => void;
}

// One for each: a promise that is shared would keep everyone who ever waited for it.
const never = (): Promise<never> => new Promise(() => undefined);

/** Transport of a test host that separates caller and host once, at one command. It runs all other commands normally. */
export function mortalTransport(given: TestHost, { command: fatal, how, onCommand }: MortalOptions): Mortal {
  const { transport } = given;
  const { promise: died, resolve: die } = Promise.withResolvers<void>();
  let sent = 0;
  let dead = false;
  return {
    died,
    transport: {
      address: transport.address,
      get hostKey() {
        return transport.hostKey;
      },
      get roundTrips() {
        return transport.roundTrips;
      },
      close: () => transport.close(),
      run(command) {
        if (dead) return never();
        sent += 1;
        onCommand?.(sent);
        if (sent !== fatal) return transport.run(command);
        dead = how === 'caller dead';
        const outcome = part(given, how, command);
        if (!dead) return outcome;
        die();
        return never();
      },
    },
  };
}

/** Sends the command and parts. It meets its faults before it first waits: the rule strikes this one and no other. */
function part({ transport, faults, mac }: TestHost, how: Parting, command: Command): Promise<CommandOutcome> {
  const when = WHEN[how];
  if (when) faults.add({ kind: 'command', fault: { type: 'drop', when }, times: 1 });
  const outcome = transport.run(command);
  if (how === 'host reboots') void mac.reboot();
  return outcome;
}

const WHEN: Readonly<Partial<Record<Parting, 'before' | 'during' | 'after'>>> = {
  'lost before': 'before',
  'lost during': 'during',
  'lost after': 'after',
};
