import type { AddressInfo } from 'node:net';
import { listenOnLoopback, serveScreen } from '../guest/screen/serve-screen.ts';

export interface OpenScreen {
  /** Address and password that `tart run` would print. */
  readonly place: { readonly host: string; readonly port: number; readonly password: string };
  close(): void;
}

/** Serves the screen of a guest without the guest, on a loopback port. */
export async function openScreen(name: string): Promise<OpenScreen> {
  const password = 'candle-ember-island-forest';
  const server = await listenOnLoopback({});
  serveScreen(server, { name, password, challenge: () => Buffer.from('sixteen bytes ..') });
  const { port } = server.address() as AddressInfo;
  return { place: { host: '127.0.0.1', port, password }, close: () => void server.close() };
}
