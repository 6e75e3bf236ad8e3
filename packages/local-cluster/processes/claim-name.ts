/** Names that one process of this machine holds at a time: ports and subnets that parallel tests must not share. */
import { createServer } from 'node:net';

/**
 * Returns true if this process holds the name from now on, until it ends. The claim is a socket in the kernel's
 * abstract namespace, so it ends with the process in every case and leaves no file. Only Linux has that namespace:
 * elsewhere every claim succeeds, and two processes may use the same name.
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
