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
  /** `m1@mini-01`, for messages. */
  readonly address: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Runs commands as processes on this machine, so that steps written for remote hosts also run locally. */
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
      if (command.argv.some(argument => argument.includes('\0'))) throw new RangeError('argument contains a NUL byte');
      roundTrips += 1;
      return runHere(options, command);
    },
    close: async () => undefined,
  };
}

type CommandProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** As in a shell, a missing program yields exit code 127. */
const NOT_FOUND = 127;

function runHere(options: LocalTransportOptions, command: Command): Promise<CommandOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome>();
  const [program, ...rest] = command.argv;
  // A separate process group, so that child processes end with the command.
  const child = spawn(program, rest, { env: options.environment, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const out = collectChunks(child.stdout, command.onStdout, fail);
  const err = collectChunks(child.stderr, command.onStderr, fail);
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
  writeInput(child, command).catch(fail);
  return promise;
}

function notStarted({ address }: LocalTransportOptions, error: NodeJS.ErrnoException): CommandOutcome {
  const output = { stdout: Buffer.alloc(0), stderr: Buffer.from(`${error.message}: no such file\n`) };
  if (error.code === 'ENOENT') return { kind: 'ran', exitCode: NOT_FOUND, signal: undefined, ...output };
  return { kind: 'unreached', begun: false, error: HOST_UNREACHABLE({ address, why: error.message }), ...output };
}

function collectChunks(
  stream: Readable,
  onChunk: ((chunk: Buffer) => void) | undefined,
  fail: (error: unknown) => void,
): readonly Buffer[] {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    try {
      onChunk?.(chunk);
    } catch (error) {
      fail(error);
    }
  });
  return chunks;
}

function setLimit(clock: Clock, { deadline, signal }: Command, reached: (timedOut: boolean) => void) {
  const timer: Timer = clock.after(deadline, () => end(true));
  const onAbort = (): void => end(false);
  const release = (): void => {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  };
  const end = (timedOut: boolean): void => {
    release();
    reached(timedOut);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return { release };
}

/** SIGKILL, because the result is no longer needed, and a process that ignores other signals would stay forever. */
function endGroup({ pid }: CommandProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already ended, or runs as root: then it ends when its input closes.
  }
}

async function writeInput({ stdin }: CommandProcess, { stdin: given }: Command): Promise<void> {
  // A program that does not read its input breaks the pipe, which is no failure.
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
  /** Account of the GUI session, which also runs the agent. */
  readonly user: string;
  readonly name: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Opens the Mac on which the agent runs, with the interface that bootstrap steps use. */
export const openThisMac = ({ clock, user, name, environment }: ThisMacOptions): Host =>
  openHost({
    transport: localTransport({ clock, address: `${user}@${name}`, environment }),
    user,
    clock,
    redactor: createRedactor(),
  });
