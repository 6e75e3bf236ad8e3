import { rmSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { basename } from 'node:path/posix';
import { type InputStream, type Mac, type SessionType, root as superuser, type User } from '../mac.ts';
import { Pipe } from '../processes/pipe.ts';

import { DEFAULT_PATH, findExecutable, runProgram } from '../processes/run-program.ts';

import type { RealPaths } from './real-folder.ts';

/** A call and its streams. `signal` aborts when the caller is gone. */
interface ServedCall extends ProgramCall {
  readonly stdin: InputStream;
  readonly out: (text: string | Buffer) => void;
  readonly err: (text: string | Buffer) => void;
  readonly signal: AbortSignal;
}

export interface CallServer {
  /** Kills the commands of all callers and stops accepting calls. */
  close(): void;
}

/**
 * Listens on a socket file. The path exists when this function returns, so that a caller started afterwards finds it.
 */
export function serveCalls(path: string, run: (call: ServedCall) => Promise<number>): CallServer {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, run);
  });
  rmSync(path, { force: true });
  server.listen(path).unref();
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serve(socket: Socket, run: (call: ServedCall) => Promise<number>): void {
  const gone = new AbortController();
  const stdin = new Pipe();
  const read = frameReader();
  const send = (kind: 'O' | 'R') => (text: string | Buffer) => void socket.write(encodeFrame(kind, text));
  // A caller that was killed resets its connection, which is a normal end.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    stdin.end();
    gone.abort();
  });
  socket.on('data', chunk => {
    for (const { kind, content } of read(chunk as Buffer)) {
      if (kind === 'I') stdin.write(content);
      if (kind === 'E') stdin.end();
      if (kind === 'C')
        void run({ ...decodeCall(content), stdin, out: send('O'), err: send('R'), signal: gone.signal }).then(
          code => socket.end(encodeFrame('X', String(code))),
          () => socket.destroy(),
        );
    }
  });
}

/** Identity of the real process. */
export interface CallerIdentity {
  readonly user: User;
  readonly session: SessionType;
  /** Address of the Mac, if it differs from the Mac's own configuration. */
  readonly address?: string | undefined;
}

/** Runs a program of the Mac for a real process, like execve on that Mac. */
export async function runCall(
  mac: Mac,
  paths: RealPaths,
  call: ServedCall & { readonly caller: CallerIdentity },
): Promise<number> {
  if (!mac.running) return 137;
  const { caller, stdin, signal } = call;
  const own = caller.address === undefined ? mac : reachedAt(mac, caller.address);
  const request = {
    argv: wordsOnMac(call.argv, paths),
    user: caller.user,
    session: caller.session,
    directory: call.directory.startsWith(paths.root) ? paths.toMac(call.directory) : '/',
    environment: environmentOnMac(call.environment, paths),
    stdin,
    out: { write: call.out },
    err: { write: call.err },
    signal,
  };
  showFolders(mac, paths, { ...call, user: caller.user });
  const found = findExecutable(own, request);
  if ('program' in found) return runProgram(own, found, request);
  if ('killed' in found) return 137;
  call.err(`${request.argv[0]}: ${found.failure}\n`);
  return found.failure === 'permission denied' || found.failure === 'exec format error' ? 126 : 127;
}

/**
 * Creates a folder of the process on its Mac when the process first names it there, so that `df` succeeds. Its content
 * is not copied.
 */
function showFolders(
  mac: Mac,
  { root, toMac }: RealPaths,
  { argv, directory, user }: ServedCall & { readonly user: User },
): void {
  for (const word of [...argv.slice(1), directory]) {
    if (!word.startsWith(`${root}/`) || !statSync(word, { throwIfNoEntry: false })?.isDirectory()) continue;
    const path = toMac(word);
    if (mac.files.exists(superuser, path)) continue;
    mac.files.makeDirectory(superuser, path, { parents: true });
    mac.files.chown(superuser, path, user.uid, user.gid);
  }
}

/** Tart is also a real process: its arguments (`--dir=…`) are about files of this machine. */
function wordsOnMac(argv: readonly string[], { toMac }: RealPaths): string[] {
  const tart = argv.findIndex(word => basename(word) === 'tart');
  return argv.map((word, index) => (tart >= 0 && index > tart ? word : toMac(word)));
}

function environmentOnMac(environment: ServedCall['environment'], { toMac }: RealPaths): Record<string, string> {
  const mapped = Object.entries(environment).map(([name, value]) => [name, toMac(value)]);
  return { PATH: DEFAULT_PATH, ...Object.fromEntries(mapped) };
}

const reachedAt = (mac: Mac, address: string): Mac =>
  Object.create(mac, { options: { value: { ...mac.options, address } } }) as Mac;

/** Protocol of the socket between a real process and its Mac: a letter, a length, and that many bytes. */

/** Call, Input, End of input; Output, erRor output, eXit code. */
type FrameKind = 'C' | 'I' | 'E' | 'O' | 'R' | 'X';

interface CallFrame {
  readonly kind: string;
  readonly content: Buffer;
}

const HEAD = 5;

export function encodeFrame(kind: FrameKind, content: Buffer | string): Buffer {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const head = Buffer.alloc(HEAD);
  head.write(kind, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** Splits a stream into frames. An incomplete frame is kept. */
export function frameReader(): (chunk: Buffer) => CallFrame[] {
  let left: Buffer = Buffer.alloc(0);
  return chunk => {
    left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    const frames: CallFrame[] = [];
    while (left.length >= HEAD) {
      const end = HEAD + left.readUInt32BE(1);
      if (left.length < end) break;
      frames.push({ kind: left.toString('latin1', 0, 1), content: left.subarray(HEAD, end) });
      left = left.subarray(end);
    }
    return frames;
  };
}

/** Program call of a real process. */
interface ProgramCall {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Argument count, arguments, directory and variables, separated by NUL, which none of them can contain. */
export function decodeCall(content: Buffer): ProgramCall {
  const [count = '0', ...parts] = content.toString().split('\0');
  const words = Number(count);
  const variables = parts
    .slice(words + 1)
    .map(part => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]);
  return { argv: parts.slice(0, words), directory: parts[words] ?? '/', environment: Object.fromEntries(variables) };
}
