/** Screen of a guest: an RFB server that requires its password and reports the VM's name. It has no picture. */

import { spawn } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { TartArguments } from '../../command-line/parse-arguments.ts';
import type { TartCall } from '../../tart-call.ts';

const WORDS = ['apple', 'bridge', 'candle', 'desert', 'ember', 'forest', 'garden', 'harbor', 'island', 'jungle'];

/** Serves the guest's screen. Its address is printed if there is no window. */
export async function announceVnc(call: TartCall, given: TartArguments, name: string): Promise<void> {
  if (given.has('vnc')) call.around.journal.unmodelled('tart', 'run --vnc: screen sharing of the guest');
  if (!given.has('vnc-experimental')) return;
  const { chance } = call.around;
  const password = Array.from({ length: 4 }, () => WORDS[chance.integer(WORDS.length)]).join('-');
  const challenge = (): Buffer => Buffer.from(Array.from({ length: 16 }, () => chance.integer(256)));
  const server = await listenOnLoopback(call.environment);
  serveScreen(server, { name, password, challenge });
  const { port } = server.address() as AddressInfo;
  const url = `vnc://:${password}@127.0.0.1:${port}`;
  const headless = given.has('no-graphics') || call.environment['CI'] !== undefined;
  call.out(headless ? `VNC server is running at ${url}` : `Opening ${url}...`);
}

/**
 * Environment variable for Macs whose programs run in their own network: the space-separated command that enters it.
 */
export const ENTERS_NETWORK = 'TART_WORLD_NETWORK';

/**
 * Listens where other programs of the same Mac reach it on 127.0.0.1. Tart itself runs outside the Mac's network, where
 * its guests reach this machine. A socket stays in the network it was created in, so another process creates it there.
 */
export async function listenOnLoopback(environment: Readonly<Record<string, string | undefined>>): Promise<Server> {
  const [command, ...words] = (environment[ENTERS_NETWORK] ?? '').split(' ');
  return command ? borrowed(command, words) : own();
}

async function own(): Promise<Server> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

const LENDER = fileURLToPath(new URL('./lend-listener.ts', import.meta.url));

function borrowed(command: string, words: readonly string[]): Promise<Server> {
  const child = spawn(command, [...words, process.execPath, LENDER], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', (_, server) => resolve(server as Server));
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`no socket in the Mac’s network: ${command} ended with ${code}`)));
  });
}

interface VncScreen {
  readonly name: string;
  readonly password: string;
  /** Sixteen random bytes. */
  readonly challenge: () => Buffer;
}

export const serveScreen = (server: Server, screen: VncScreen): Server =>
  server.on('connection', socket => {
    socket.on('error', () => undefined);
    // A viewer that disconnects early, or is rejected.
    attend(socket, screen).catch(() => socket.destroy());
  });

const VNC_PASSWORD = 2;
const uint32 = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);

async function attend(socket: Socket, screen: VncScreen): Promise<void> {
  const take = takeBytes(socket);
  socket.write('RFB 003.008\n');
  const version = (await take(12)).toString();
  if (version === 'RFB 003.003\n') socket.write(uint32(VNC_PASSWORD));
  else {
    socket.write(Buffer.from([1, VNC_PASSWORD]));
    if ((await take(1))[0] !== VNC_PASSWORD) return void socket.destroy();
  }
  if (!(await knowsPassword(socket, take, screen))) {
    const words = 'Authentication failure';
    const reason = version === 'RFB 003.008\n' ? [uint32(words.length), Buffer.from(words)] : [];
    return void socket.end(Buffer.concat([uint32(1), ...reason]));
  }
  socket.write(uint32(0));
  await take(1);
  socket.write(serverInit(screen.name));
  for (;;) await take(1);
}

async function knowsPassword(socket: Socket, take: TakeBytes, { password, challenge }: VncScreen): Promise<boolean> {
  const asked = challenge();
  socket.write(asked);
  return expectedAnswer(password, asked).equals(await take(asked.length));
}

/** 32 bits per pixel, true colour, which every client supports. */
const PIXELS = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]);

function serverInit(name: string): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16BE(1_024, 0);
  size.writeUInt16BE(768, 2);
  return Buffer.concat([size, PIXELS, uint32(Buffer.byteLength(name)), Buffer.from(name)]);
}

/** Reads this many bytes from a stream; rejects if the stream ends before. */
export type TakeBytes = (count: number) => Promise<Buffer>;

export function takeBytes(socket: Socket): TakeBytes {
  const arriving: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  return async count => {
    while (held.length < count) {
      const { value, done } = await arriving.next();
      if (done) throw new Error(`the connection ended ${count - held.length} bytes early`);
      held = Buffer.concat([held, value]);
    }
    const taken = held.subarray(0, count);
    held = held.subarray(count);
    return taken;
  };
}

/** Response of a viewer with the correct password: RFC 6143, 7.2.2. */
export function expectedAnswer(password: string, challenge: Buffer): Buffer {
  const key = Buffer.alloc(8);
  key.write(password, 'latin1');
  for (const [at, byte] of key.entries()) key[at] = mirrored(byte);
  // Triple DES with one key equals single DES, and OpenSSL 3 still supports only triple DES.
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false);
  return cipher.update(challenge);
}

/** The first VNC implementation reversed the bits of each byte, and all others had to follow. */
const mirrored = (byte: number): number =>
  Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2);
