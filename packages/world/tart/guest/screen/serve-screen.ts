/** The screen of a guest: an RFB server that asks for its password and says whose screen it is. It has no picture to show. */
import type { Server, Socket } from 'node:net';
import { type TakeBytes, takeBytes } from './take-bytes.ts';
import { expectedAnswer } from './vnc-password.ts';

export interface Screen {
  readonly name: string;
  readonly password: string;
  /** Sixteen bytes, others each time. */
  readonly challenge: () => Buffer;
}

export const serveScreen = (server: Server, screen: Screen): Server =>
  server.on('connection', socket => {
    socket.on('error', () => undefined);
    // A viewer that leaves in the middle, or is shown out.
    attend(socket, screen).catch(() => socket.destroy());
  });

const VNC_PASSWORD = 2;
const uint32 = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);

async function attend(socket: Socket, screen: Screen): Promise<void> {
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

async function knowsPassword(socket: Socket, take: TakeBytes, { password, challenge }: Screen): Promise<boolean> {
  const asked = challenge();
  socket.write(asked);
  return expectedAnswer(password, asked).equals(await take(asked.length));
}

/** 32 bits a pixel, true colour: what everybody understands. */
const PIXELS = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]);

function serverInit(name: string): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16BE(1_024, 0);
  size.writeUInt16BE(768, 2);
  return Buffer.concat([size, PIXELS, uint32(Buffer.byteLength(name)), Buffer.from(name)]);
}
