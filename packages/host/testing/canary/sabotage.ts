/** A transport that fails at one command, and says as much as it can while it does. */
import { type Clock, pause } from '@minifleet/clock';
import type { FaultPlan } from '@minifleet/world';
import { HOST_UNREACHABLE } from '../../errors.ts';
import type { Command, CommandOutcome, HostTransport } from '../../transport/transport.ts';

/** Ways in which a command can fail. Those with output repeat the arguments, the input and every secret. */
export const sabotages = [
  'fails',
  'fails by a signal',
  'ends well and tells',
  'runs out of time',
  'cannot be reached',
  'breaks our own code',
  'lost before',
  'lost during',
  'lost after',
] as const;
export type Sabotage = (typeof sabotages)[number];

interface Saboteur {
  readonly transport: HostTransport;
  readonly faults: FaultPlan;
  readonly clock: Clock;
  /** Counted from 1. */
  readonly command: number;
  readonly how: Sabotage;
  /** Secrets that it prints besides the command. */
  readonly secrets: readonly string[];
  readonly onCommand?: (command: Command) => void;
}

export function sabotaged(given: Saboteur): HostTransport {
  const { transport, command: fatal, onCommand } = given;
  let sent = 0;
  return {
    address: transport.address,
    get hostKey() {
      return transport.hostKey;
    },
    get roundTrips() {
      return transport.roundTrips;
    },
    close: () => transport.close(),
    run(command) {
      sent += 1;
      onCommand?.(command);
      return sent === fatal ? strike(given, command) : transport.run(command);
    },
  };
}

async function strike({ transport, faults, clock, how, secrets }: Saboteur, command: Command): Promise<CommandOutcome> {
  const words = everythingOf(command, secrets);
  const said = { stdout: Buffer.from(words), stderr: Buffer.from(words) };
  switch (how) {
    case 'fails':
      return { kind: 'ran', exitCode: 1, signal: undefined, ...said };
    case 'fails by a signal':
      return { kind: 'ran', exitCode: undefined, signal: 'SIGKILL', ...said };
    case 'ends well and tells':
      return { kind: 'ran', exitCode: 0, signal: undefined, ...said };
    case 'runs out of time':
      await pause(clock, command.deadline, command.signal);
      command.signal?.throwIfAborted();
      return { kind: 'timed out', after: command.deadline, ...said };
    case 'cannot be reached': {
      const error = HOST_UNREACHABLE({ address: transport.address, why: words }, { cause: new Error(words) });
      return { kind: 'unreached', begun: true, error, ...said };
    }
    case 'breaks our own code':
      throw new TypeError(words, { cause: new Error(words) });
    case 'lost before':
    case 'lost during':
    case 'lost after': {
      const when = how.slice('lost '.length) as 'before' | 'during' | 'after';
      faults.add({ kind: 'command', fault: { type: 'drop', when }, times: 1 });
      return transport.run(command);
    }
  }
}

/** Output of a very verbose program: its command line, its input and its secrets, in three notations. */
function everythingOf({ argv, stdin }: Command, secrets: readonly string[]): string {
  const input = stdin instanceof Uint8Array ? Buffer.from(stdin) : Buffer.alloc(0);
  const known = [...secrets.map(secret => Buffer.from(secret)), input];
  const notations = known.flatMap(bytes => [bytes.toString('latin1'), bytes.toString('base64'), bytes.toString('hex')]);
  return [...argv, ...notations].join('\n');
}
