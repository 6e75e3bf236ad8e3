import { type AddressInfo, createServer } from 'node:net';
import type { Call } from '../call.ts';
import type { Arguments } from '../command-line/parse.ts';

const WORDS = ['apple', 'bridge', 'candle', 'desert', 'ember', 'forest', 'garden', 'harbor', 'island', 'jungle'];

/** A VNC server that greets and no more. Its address is printed when nobody could look at a window. */
export async function announceVnc(call: Call, given: Arguments): Promise<void> {
  if (given.has('vnc')) call.around.journal.unmodelled('tart', 'run --vnc: screen sharing of the guest');
  if (!given.has('vnc-experimental')) return;
  const server = createServer(socket => {
    socket.on('error', () => undefined);
    socket.write('RFB 003.008\n');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const password = Array.from({ length: 4 }, () => WORDS[call.around.chance.integer(WORDS.length)]).join('-');
  const url = `vnc://:${password}@127.0.0.1:${port}`;
  const headless = given.has('no-graphics') || call.environment['CI'] !== undefined;
  call.out(headless ? `VNC server is running at ${url}` : `Opening ${url}...`);
}
