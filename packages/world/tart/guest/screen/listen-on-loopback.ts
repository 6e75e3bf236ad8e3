import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';

/** Set by whoever runs a Mac's programs in a network of their own: the command, words with spaces between, that enters it. */
export const ENTERS_NETWORK = 'TART_WORLD_NETWORK';

/**
 * Listens where other programs of the same Mac find it on 127.0.0.1. Tart itself runs outside the Mac's network, where its
 * guests find this machine; but a socket stays in the network it was made in, so another process makes it there.
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
