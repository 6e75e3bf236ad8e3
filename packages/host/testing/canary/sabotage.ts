/** A transport that fails at one command and prints as much as possible. */
import { type Clock, pause } from '@minifleet/clock';
import type { FaultPlan } from '@minifleet/world';
import { HOST_UNREACHABLE } from '../../errors.ts';
import type { Command, CommandOutcome, HostTransport } from '../../transport/transport.ts';

/** Ways in which a command can fail. Those with output repeat the arguments, the input and every secret. */
export const sabotages = [
  'fails',
  'is killed by a signal',
  'succeeds and prints secrets',
  'times out',
  'host unreachable',
  'throws in the caller',
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
      return sent === fatal ? failCommand(given, command) : transport.run(command);
    },
  };
}

async function failCommand(
  { transport, faults, clock, how, secrets }: Saboteur,
  command: Command,
): Promise<CommandOutcome> {
  const text = everythingOf(command, secrets);
  const output = { stdout: Buffer.from(text), stderr: Buffer.from(text) };
  switch (how) {
    case 'fails':
      return { kind: 'ran', exitCode: 1, signal: undefined, ...output };
    case 'is killed by a signal':
      return { kind: 'ran', exitCode: undefined, signal: 'SIGKILL', ...output };
    case 'succeeds and prints secrets':
      return { kind: 'ran', exitCode: 0, signal: undefined, ...output };
    case 'times out':
      await pause(clock, command.deadline, command.signal);
      command.signal?.throwIfAborted();
      return { kind: 'timed out', after: command.deadline, ...output };
    case 'host unreachable': {
      const error = HOST_UNREACHABLE({ address: transport.address, why: text }, { cause: new Error(text) });
      return { kind: 'unreached', begun: true, error, ...output };
    }
    case 'throws in the caller':
      throw new TypeError(text, { cause: new Error(text) });
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
