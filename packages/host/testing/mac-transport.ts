/**
 * A transport that hands commands to a simulated Mac without SSH in between: fast, and on the test's own clock. It meets
 * the same faults, and passes the same contract as the real one.
 */
import { type Duration, pause } from '@minifleet/clock';
import { type BuiltMac, execute, m1, Pipe, processesOf } from '@minifleet/world/mac';
import { HOST_CONNECTION_LOST, HOST_UNREACHABLE } from '../errors.ts';
import { quoteArgv } from '../transport/quote.ts';
import type { Command, Outcome, Transport } from '../transport/transport.ts';

export function macTransport(mac: BuiltMac): Transport {
  const address = `${m1.name}@${mac.options.name}`;
  let roundTrips = 0;
  return {
    address,
    hostKey: undefined,
    get roundTrips() {
      return roundTrips;
    },
    async run(command) {
      command.signal?.throwIfAborted();
      const unreachable = HOST_UNREACHABLE({ address, why: 'it is switched off' });
      if (!mac.running) return { kind: 'unreached', begun: false, error: unreachable, ...nothing() };
      roundTrips += 1;
      return exchange({ mac, command, address });
    },
    close: async () => undefined,
  };
}

const nothing = () => ({ stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) });

interface Exchange {
  readonly mac: BuiltMac;
  readonly command: Command;
  readonly address: string;
}

/** One command: it ends by itself, by its deadline, by the caller's wish, or with the connection. */
function exchange(given: Exchange): Promise<Outcome> {
  const { mac, command, address } = given;
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const stdin = new Pipe();
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let over = false;
  const output = () => ({ stdout: Buffer.concat(out), stderr: Buffer.concat(err) });
  const end = (settle: () => void): void => {
    if (over) return;
    over = true;
    timer.cancel();
    command.signal?.removeEventListener('abort', onAbort);
    // As when a channel closes: its input ends, the command itself may go on.
    stdin.end();
    settle();
  };
  const lose = (): void => {
    const error = HOST_CONNECTION_LOST({ address, why: 'reset' });
    end(() => resolve({ kind: 'unreached', begun: true, error, ...output() }));
  };
  const onAbort = (): void => end(() => reject(command.signal?.reason));
  const after: Duration = command.deadline;
  const timer = mac.around.clock.after(after, () => end(() => resolve({ kind: 'timed out', after, ...output() })));
  command.signal?.addEventListener('abort', onAbort, { once: true });
  mac.onShutDown(lose);
  const keep = (chunks: Buffer[], tell?: (chunk: Buffer) => void) => ({
    write(content: Buffer | string): void {
      if (over) return;
      chunks.push(Buffer.from(content));
      tell?.(Buffer.from(content));
    },
  });
  const streams = { stdin, out: keep(out, command.onStdout), err: keep(err) };
  void serve(given, { streams, lose, over: () => over }).then(exitCode => {
    if (exitCode !== undefined) end(() => resolve({ kind: 'ran', exitCode, signal: undefined, ...output() }));
  });
  return promise;
}

interface Serving {
  readonly streams: {
    readonly stdin: Pipe;
    readonly out: { write(content: Buffer | string): void };
    readonly err: { write(content: Buffer | string): void };
  };
  readonly lose: () => void;
  readonly over: () => boolean;
}

/** What the Mac does with it: undefined when no exit code ever reaches the caller. */
async function serve({ mac, command }: Exchange, { streams, lose, over }: Serving): Promise<number | undefined> {
  const line = quoteArgv(command.argv);
  const place = `mac/${mac.options.name}`;
  mac.around.journal.add(place, 'command', line);
  const fault = mac.around.faults.strike({ place, kind: 'command', detail: line });
  if (fault?.type === 'hang') return undefined;
  if (fault?.type === 'delay') await pause(mac.around.clock, fault.by);
  if (fault?.type === 'fail') {
    streams.err.write(`${fault.message}\n`);
    return fault.code;
  }
  if (fault?.type === 'drop' && fault.when === 'before') {
    lose();
    return undefined;
  }
  const breaks = fault?.type === 'drop' && fault.when === 'during';
  void feed(command, { stdin: streams.stdin, over, afterFirst: breaks ? lose : undefined });
  const process = processesOf(mac).start({
    argv: ['zsh', '-c', line],
    user: m1,
    session: 'ssh',
    body: async ({ signal }) => (await execute(mac, line, { ...streams, signal })).code,
  });
  const exit = await process.exited;
  if (fault?.type === 'drop') {
    lose();
    return undefined;
  }
  return 'code' in exit ? exit.code : 143;
}

interface Feeding {
  readonly stdin: Pipe;
  readonly over: () => boolean;
  readonly afterFirst: (() => void) | undefined;
}

async function feed({ stdin: given }: Command, { stdin, over, afterFirst }: Feeding): Promise<void> {
  const chunks = given === undefined ? [] : given instanceof Uint8Array ? [given] : given;
  for await (const chunk of chunks) {
    if (over()) return;
    stdin.write(Buffer.from(chunk));
    afterFirst?.();
  }
  if (!over()) stdin.end();
  afterFirst?.();
}
