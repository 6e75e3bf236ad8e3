import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { messageOf } from './log.ts';

/** A named question about this process. Undefined means fine, a sentence says what is not. */
export type HealthCheck = () => string | undefined;

export interface HealthServerOptions {
  readonly registry: Registry;
  readonly host: string;
  readonly port: number;
  /** Is the process itself sound? A no asks for a restart. */
  readonly live?: Readonly<Record<string, HealthCheck>>;
  /** Can it do its work now? A no takes it out of service. */
  readonly ready?: Readonly<Record<string, HealthCheck>>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves /healthz, /readyz and /metrics. */
export async function serveHealth(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    const path = request.url?.split('?')[0];
    if (path === '/healthz') return answerChecks(options.live ?? {}, answer);
    if (path === '/readyz') return answerChecks(options.ready ?? {}, answer);
    if (path !== '/metrics') return answer(404, 'try /healthz, /readyz or /metrics\n');
    options.registry.metrics().then(
      text => answer(200, text, options.registry.contentType),
      (error: unknown) => answer(500, `${messageOf(error)}\n`),
    );
  });
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerChecks(
  checks: Readonly<Record<string, HealthCheck>>,
  answer: (status: number, body: string) => void,
): void {
  const results = Object.entries(checks).map(([name, check]) => ({ name, problem: check() }));
  const lines = results.map(({ name, problem }) => (problem ? `[-] ${name}: ${problem}` : `[+] ${name} ok`));
  answer(results.some(({ problem }) => problem) ? 503 : 200, `${[...lines, ''].join('\n')}`);
}

const listen = (server: Server, { host, port }: HealthServerOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
