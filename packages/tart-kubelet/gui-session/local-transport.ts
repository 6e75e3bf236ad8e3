import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock, Timer } from '@minifleet/clock';
import {
  type Command,
  type CommandOutcome,
  createRedactor,
  HOST_UNREACHABLE,
  type Host,
  type HostTransport,
  openHost,
} from '@minifleet/host';

interface LocalTransportOptions {
  readonly clock: Clock;
  /** `m1@mini-01`, for people. */
  readonly address: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** This machine as a host: commands are processes of its own, so that what converges a Mac from afar also serves on it. */
export function localTransport(options: LocalTransportOptions): HostTransport {
  let roundTrips = 0;
  return {
    address: options.address,
    hostKey: undefined,
    get roundTrips() {
      return roundTrips;
    },
    async run(command) {
      command.signal?.throwIfAborted();
      if (command.argv.some(argument => argument.includes('\0'))) throw new RangeError('an argument holds a NUL byte');
      roundTrips += 1;
      return runHere(options, command);
    },
    close: async () => undefined,
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** As a shell would have it: a program that is not there is exit code 127. */
const NOT_FOUND = 127;

function runHere(options: LocalTransportOptions, command: Command): Promise<CommandOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome>();
  const [program, ...rest] = command.argv;
  // A group of its own, so that what the command has started ends with it.
  const child = spawn(program, rest, { env: options.environment, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const out = gather(child.stdout, command.onStdout, fail);
  const err = gather(child.stderr, command.onStderr, fail);
  const output = () => ({ stdout: Buffer.concat(out), stderr: Buffer.concat(err) });
  const limit = setLimit(options.clock, command, timedOut => {
    endGroup(child);
    if (!timedOut) return reject(command.signal?.reason as Error);
    resolve({ kind: 'timed out', after: command.deadline, ...output() });
  });
  function fail(error: unknown): void {
    limit.release();
    endGroup(child);
    reject(error);
  }
  child.on('error', (error: NodeJS.ErrnoException) => {
    limit.release();
    resolve(notStarted(options, error));
  });
  child.on('close', (code, signal) => {
    limit.release();
    resolve({ kind: 'ran', exitCode: code ?? undefined, signal: signal ?? undefined, ...output() });
  });
  feed(child, command).catch(fail);
  return promise;
}

function notStarted({ address }: LocalTransportOptions, error: NodeJS.ErrnoException): CommandOutcome {
  const heard = { stdout: Buffer.alloc(0), stderr: Buffer.from(`${error.message}: no such file\n`) };
  if (error.code === 'ENOENT') return { kind: 'ran', exitCode: NOT_FOUND, signal: undefined, ...heard };
  return { kind: 'unreached', begun: false, error: HOST_UNREACHABLE({ address, why: error.message }), ...heard };
}

function gather(
  stream: Readable,
  tell: ((chunk: Buffer) => void) | undefined,
  fail: (error: unknown) => void,
): readonly Buffer[] {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    try {
      tell?.(chunk);
    } catch (error) {
      fail(error);
    }
  });
  return chunks;
}

function setLimit(clock: Clock, { deadline, signal }: Command, reached: (timedOut: boolean) => void) {
  const timer: Timer = clock.after(deadline, () => end(true));
  const unwanted = (): void => end(false);
  const release = (): void => {
    timer.cancel();
    signal?.removeEventListener('abort', unwanted);
  };
  const end = (timedOut: boolean): void => {
    release();
    reached(timedOut);
  };
  signal?.addEventListener('abort', unwanted, { once: true });
  return { release };
}

/** By signal 9: nobody waits for it any more, and one that ignores a milder one would stay for ever. */
function endGroup({ pid }: Child): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It had ended, or it runs as root: then it ends with its input.
  }
}

async function feed({ stdin }: Child, { stdin: given }: Command): Promise<void> {
  // Whoever reads no input breaks the pipe, and that is no failure.
  stdin.on('error', () => undefined);
  const chunks = given === undefined ? [] : given instanceof Uint8Array ? [given] : given;
  for await (const chunk of chunks) {
    if (stdin.destroyed) return;
    if (!stdin.write(chunk)) await drained(stdin);
  }
  stdin.end();
}

const drained = (stdin: Writable): Promise<void> =>
  new Promise(resolve => {
    const go = (): void => {
      stdin.off('drain', go).off('close', go);
      resolve();
    };
    stdin.once('drain', go).once('close', go);
  });

interface ThisMacOptions {
  readonly clock: Clock;
  /** The account of the session at the screen, as whom the agent itself runs. */
  readonly user: string;
  readonly name: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The Mac the agent runs on, with the face every step of a bootstrap uses. */
export const openThisMac = ({ clock, user, name, environment }: ThisMacOptions): Host =>
  openHost({
    transport: localTransport({ clock, address: `${user}@${name}`, environment }),
    user,
    clock,
    redactor: createRedactor(),
  });
