import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendHealth } from './routes.ts';

interface LoopbackHealth {
  readonly port: number;
  close(): Promise<void>;
}

interface LoopbackHealthOptions {
  /** 10248, where everyone looks for it; 0 chooses one. */
  readonly port: number;
  readonly unhealthy: () => string | undefined;
}

/** /healthz for this host alone: no rights are needed to ask whether the agent is well. */
export async function serveLoopbackHealth({ port, unhealthy }: LoopbackHealthOptions): Promise<LoopbackHealth> {
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] === '/healthz') sendHealth(unhealthy(), response);
    else response.writeHead(404).end('try /healthz\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
