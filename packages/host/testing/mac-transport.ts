/**
 * A transport that hands commands to a simulated Mac without SSH in between: fast, and on the test's own clock. It meets
 * the same faults, and passes the same contract as the real one.
 */
import { pause } from '@minifleet/clock';
import { type BuiltMac, execute, m1, Pipe, processesOf } from '@minifleet/world/mac';
import { HOST_CONNECTION_LOST, HOST_UNREACHABLE } from '../errors.ts';
import { startLimit } from '../transport/limit.ts';
import { quoteArgv } from '../transport/ssh-transport.ts';
import { type Command, type CommandOutcome, emptyOutput, type HostTransport } from '../transport/transport.ts';

export function macTransport(mac: BuiltMac): HostTransport {
  const address = `${m1.name}@${mac.options.name}`;
  let roundTrips = 0;
  return {
    address,
    hostKey: undefined,
    get roundTrips() {
      return roundTrips;
    },
    async run(command) {
      const line = quoteArgv(command.argv);
      command.signal?.throwIfAborted();
      const unreachable = HOST_UNREACHABLE({ address, why: 'it is switched off' });
      if (!mac.running) return { kind: 'unreached', begun: false, error: unreachable, ...emptyOutput() };
      roundTrips += 1;
      return exchange({ mac, command, line, address });
    },
    close: async () => undefined,
  };
}

interface Exchange {
  readonly mac: BuiltMac;
  readonly command: Command;
  readonly line: string;
  readonly address: string;
}

type Exit = { readonly exitCode: number | undefined; readonly signal: string | undefined };

/** One command: it ends by itself, by its deadline, by the caller's wish, or with the connection. */
function exchange(given: Exchange): Promise<CommandOutcome> {
  const { mac, command, address } = given;
  const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome>();
  const limit = startLimit(command, mac.around.clock);
  const stdin = new Pipe();
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const over = new AbortController();
  const output = () => ({ stdout: Buffer.concat(out), stderr: Buffer.concat(err) });
  const end = (settle: () => void): void => {
    if (over.signal.aborted) return;
    over.abort();
    limit.release();
    // Like a closing channel: its input ends, the command itself may continue.
    stdin.end();
    settle();
  };
  const unwanted = new AbortController();
  const abandon = (settle: () => void): void =>
    end(() => {
      unwanted.abort();
      settle();
    });
  const fail = (error: unknown): void => abandon(() => reject(error));
  const lose = (): void => {
    const error = HOST_CONNECTION_LOST({ address, why: 'connection reset' });
    end(() => resolve({ kind: 'unreached', begun: true, error, ...output() }));
  };
  const keep = (chunks: Buffer[], tell?: (chunk: Buffer) => void) => ({
    write(content: Buffer | string): void {
      if (over.signal.aborted) return;
      chunks.push(Buffer.from(content));
      try {
        tell?.(Buffer.from(content));
      } catch (error) {
        fail(error);
      }
    },
  });
  limit.reached.addEventListener('abort', () => abandon(() => resolve(Promise.try(() => limit.outcome(output())))));
  mac.onShutDown(lose);
  const streams = { stdin, out: keep(out, command.onStdout), err: keep(err, command.onStderr) };
  serve(given, { streams, lose, over: over.signal, unwanted: unwanted.signal }).then(
    exit => exit && end(() => resolve({ kind: 'ran', ...exit, ...output() })),
    fail,
  );
  return promise;
}

interface Serving {
  readonly streams: {
    readonly stdin: Pipe;
    readonly out: { write(content: Buffer | string): void };
    readonly err: { write(content: Buffer | string): void };
  };
  readonly lose: () => void;
  readonly over: AbortSignal;
  /** Aborts when the caller no longer waits: the command gets a signal. */
  readonly unwanted: AbortSignal;
}

/** Runs the command on the Mac; undefined if no exit code reaches the caller. Rejects with the error of its input. */
async function serve({ mac, command, line }: Exchange, serving: Serving): Promise<Exit | undefined> {
  const { streams, lose, over, unwanted } = serving;
  const place = `mac/${mac.options.name}`;
  mac.around.journal.add(place, 'command', line);
  const fault = mac.around.faults.strike({ place, kind: 'command', detail: line });
  if (fault?.type === 'hang') return undefined;
  if (fault?.type === 'delay') await pause(mac.around.clock, fault.by);
  if (fault?.type === 'fail') {
    streams.err.write(`${fault.message}\n`);
    return { exitCode: fault.code, signal: undefined };
  }
  if (fault?.type === 'drop' && fault.when === 'before') {
    lose();
    return undefined;
  }
  const breaks = fault?.type === 'drop' && fault.when === 'during';
  const feeding = feed(command, { stdin: streams.stdin, over, afterFirst: breaks ? lose : undefined });
  const process = processesOf(mac).start({
    argv: ['zsh', '-c', line],
    user: m1,
    session: 'ssh',
    body: async ({ signal }) => (await execute(mac, line, { ...streams, signal })).code,
  });
  // Only root may signal root processes: for those only the input ends.
  if (!line.startsWith('sudo ')) {
    unwanted.addEventListener('abort', () => void processesOf(mac).signal(process.pid, 'SIGTERM'));
  }
  const exit = await Promise.race([process.exited, feeding.then(() => process.exited)]);
  if (fault?.type === 'drop') {
    lose();
    return undefined;
  }
  if ('code' in exit) return { exitCode: exit.code, signal: undefined };
  return { exitCode: undefined, signal: 'signal' in exit ? exit.signal : 'SIGKILL' };
}

interface Feeding {
  readonly stdin: Pipe;
  readonly over: AbortSignal;
  readonly afterFirst: (() => void) | undefined;
}

async function feed({ stdin: given }: Command, { stdin, over, afterFirst }: Feeding): Promise<void> {
  const chunks = given === undefined ? [] : given instanceof Uint8Array ? [given] : given;
  for await (const chunk of chunks) {
    if (over.aborted) return;
    stdin.write(Buffer.from(chunk));
    afterFirst?.();
  }
  if (!over.aborted) stdin.end();
  afterFirst?.();
}
