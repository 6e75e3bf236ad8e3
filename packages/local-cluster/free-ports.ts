/** Ports nobody listens on now. Two calls may still meet on one: who comes second starts again on others. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

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
    return server;
  } catch {
    return undefined;
  }
}
