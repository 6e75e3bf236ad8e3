/** A viewer that connects once: it implements RFB up to the server's introduction. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expectedAnswer, type TakeBytes, takeBytes } from '../guest/screen/serve-screen.ts';

interface ViewOptions {
  readonly port: number;
  readonly version?: '3.3' | '3.7' | '3.8';
  /** Sent only to a server that requires one; without it, such a server gets no response. */
  readonly password?: string;
}

interface ScreenView {
  /** Security types the server offered: 1 is none, 2 is VNC authentication. */
  readonly security: readonly number[];
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** Rejects with the server's message, or if the connection ends before the introduction. */
export async function viewScreen({ port, version = '3.8', password }: ViewOptions): Promise<ScreenView> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect');
    const take = takeBytes(socket);
    await take(12);
    socket.write(`RFB 00${version.replace('.', '.00')}\n`);
    const security = await enter({ socket, take, version, password });
    socket.write(Buffer.from([1]));
    const init = await take(24);
    const name = (await take(init.readUInt32BE(20))).toString();
    return { security, name, width: init.readUInt16BE(0), height: init.readUInt16BE(2) };
  } finally {
    socket.destroy();
  }
}

interface VncHandshake extends Required<Pick<ViewOptions, 'version'>> {
  readonly socket: Socket;
  readonly take: TakeBytes;
  readonly password: string | undefined;
}

const uint32 = async (take: TakeBytes): Promise<number> => (await take(4)).readUInt32BE();
const NONE = 1;

async function enter({ socket, take, version, password }: VncHandshake): Promise<readonly number[]> {
  const security = version === '3.3' ? [await uint32(take)] : [...(await take((await take(1))[0] ?? 0))];
  const free = security.includes(NONE);
  if (!free && password === undefined) throw new Error('the server requires a password');
  if (version !== '3.3') socket.write(Buffer.from([free ? NONE : 2]));
  if (!free) socket.write(expectedAnswer(password ?? '', await take(16)));
  // Before 3.8, the server sends no result if there is no password.
  const refused = free && version !== '3.8' ? 0 : await uint32(take);
  if (refused) throw new Error(version === '3.8' ? (await take(await uint32(take))).toString() : 'refused');
  return security;
}
