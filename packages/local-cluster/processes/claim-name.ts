/** Names that one process of this machine holds at a time: ports and subnets that tests in parallel must not share. */
import { createServer } from 'node:net';

/**
 * True when this process holds the name from now on, until it ends. The claim is a socket in the kernel's abstract
 * namespace, so that it goes with the process however that ends, and leaves no file. Only Linux has that namespace:
 * elsewhere every claim succeeds, and two processes may meet on a name.
 */
export function claimName(name: string): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  return new Promise(resolve => {
    const server = createServer();
    server.unref();
    server.once('error', () => resolve(false));
    server.listen(`\0minifleet-${name}`, () => resolve(true));
  });
}
