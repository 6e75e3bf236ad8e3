/** Ports nobody listens on now, and which no other process of this project is given while this one runs. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { claimName } from './processes/claim-name.ts';

// Below the range from which outgoing connections take theirs (32768 on Linux, 49152 on macOS), and above the well-known ones:
// so the port of a component that is being restarted is not lost to a passing client.
const LOWEST = 20_000;
const BEYOND_HIGHEST = 32_768;

export async function findFreePorts(count: number): Promise<number[]> {
  const found = new Map<number, Server>();
  try {
    while (found.size < count) {
      const port = randomInt(LOWEST, BEYOND_HIGHEST);
      // All stay bound until the last is found, so none is given twice.
      const server = found.has(port) ? undefined : await listen(port);
      if (server !== undefined) found.set(port, server);
    }
    return [...found.keys()];
  } finally {
    await Promise.all([...found.values()].map(server => once(server.close(), 'close')));
  }
}

/** On every interface, because one component has no other way. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
    if (await claimName(`port-${port}`)) return server;
    await once(server.close(), 'close');
    return undefined;
  } catch {
    return undefined;
  }
}
