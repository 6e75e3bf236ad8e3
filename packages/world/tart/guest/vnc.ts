import type { AddressInfo } from 'node:net';
import type { Call } from '../call.ts';
import type { Arguments } from '../command-line/parse.ts';
import { listenOnLoopback } from './screen/listen-on-loopback.ts';
import { serveScreen } from './screen/serve-screen.ts';

const WORDS = ['apple', 'bridge', 'candle', 'desert', 'ember', 'forest', 'garden', 'harbor', 'island', 'jungle'];

/** Serves the guest's screen. Its address is printed when nobody could look at a window. */
export async function announceVnc(call: Call, given: Arguments, name: string): Promise<void> {
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
