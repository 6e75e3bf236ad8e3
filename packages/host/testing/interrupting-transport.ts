import type { Command, CommandOutcome, HostTransport } from '../transport/transport.ts';
import type { TestHost } from './test-host.ts';

/** Ways in which a test interrupts a caller at a command. */
export const interruptions = ['lost before', 'lost during', 'lost after', 'caller killed', 'host reboots'] as const;
export type Interruption = (typeof interruptions)[number];

export interface InterruptingTransport {
  readonly transport: HostTransport;
  /** Resolves when the caller is killed. From then on it receives no response and sends no command. */
  readonly killed: Promise<void>;
}

interface InterruptionOptions {
  /** Number of the command to interrupt, counted from 1. */
  readonly command: number;
  readonly how: Interruption;
  readonly onCommand?: (command: number) => void;
}

// Each caller gets its own promise. A shared one would keep all its waiters in memory.
const never = (): Promise<never> => new Promise(() => undefined);

/** Transport of a test host that interrupts the caller once, at one command. It runs all other commands normally. */
export function interruptingTransport(
  given: TestHost,
  { command: interrupted, how, onCommand }: InterruptionOptions,
): InterruptingTransport {
  const { transport } = given;
  const { promise: killed, resolve: kill } = Promise.withResolvers<void>();
  let sent = 0;
  let isKilled = false;
  return {
    killed,
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
        if (isKilled) return never();
        sent += 1;
        onCommand?.(sent);
        if (sent !== interrupted) return transport.run(command);
        isKilled = how === 'caller killed';
        const outcome = interrupt(given, how, command);
        if (!isKilled) return outcome;
        kill();
        return never();
      },
    },
  };
}

/** Sends the command and interrupts it. The transport checks faults before it first waits, so the fault applies only to this command. */
function interrupt({ transport, faults, mac }: TestHost, how: Interruption, command: Command): Promise<CommandOutcome> {
  const when = WHEN[how];
  if (when) faults.add({ kind: 'command', fault: { type: 'drop', when }, times: 1 });
  const outcome = transport.run(command);
  if (how === 'host reboots') void mac.reboot();
  return outcome;
}

const WHEN: Readonly<Partial<Record<Interruption, 'before' | 'during' | 'after'>>> = {
  'lost before': 'before',
  'lost during': 'during',
  'lost after': 'after',
};
