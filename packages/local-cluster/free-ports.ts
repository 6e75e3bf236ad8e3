/** Returns ports on which nothing listens, and which no other process of this project gets while this one runs. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { claimName } from './processes/claim-name.ts';

// Below the range of outgoing connections (from 32768 on Linux, 49152 on macOS) and above the well-known ports, so that
// no client takes the port of a component that is being restarted.
const LOWEST = 20_000;
const BEYOND_HIGHEST = 32_768;

export async function findFreePorts(count: number): Promise<number[]> {
  const found = new Map<number, Server>();
  try {
    while (found.size < count) {
      const port = randomInt(LOWEST, BEYOND_HIGHEST);
      // All stay bound until the last one is found, so that no port is returned twice.
      const server = found.has(port) ? undefined : await listen(port);
      if (server !== undefined) found.set(port, server);
    }
    return [...found.keys()];
  } finally {
    await Promise.all([...found.values()].map(server => once(server.close(), 'close')));
  }
}

/** On every interface, because the manager of Cluster API cannot listen on loopback only. */
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
