import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '@minifleet/errors';
import type { Registry } from 'prom-client';

/** Check of this process. Returns a description of the problem, or undefined if there is none. */
export type HealthCheck = () => string | undefined;

type HealthChecks = Readonly<Record<string, HealthCheck>>;

interface HealthServerOptions {
  /** Without a registry there is no `/metrics`. */
  readonly registry?: Registry;
  readonly host: string;
  readonly port: number;
  /** Checks of the process itself. A failure asks for a restart. */
  readonly live?: HealthChecks;
  /** Checks whether the process can work now. A failure takes it out of service. */
  readonly ready?: HealthChecks;
}

interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

interface HealthResponse {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

/** Serves `/livez`, `/readyz` and single checks of them (`/readyz/informers`), `/healthz` (same as `/livez`) and `/metrics`. */
export async function serveHealth(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    responseTo(request.url?.split('?')[0] ?? '', options).then(
      ({ status, body, type = 'text/plain; charset=utf-8' }) =>
        response.writeHead(status, { 'content-type': type }).end(body),
      (error: unknown) => response.writeHead(500).end(`${messageOf(error)}\n`),
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

async function responseTo(
  path: string,
  { live = {}, ready = {}, registry }: HealthServerOptions,
): Promise<HealthResponse> {
  const [, endpoint = '', check, ...more] = path.split('/');
  if (endpoint === 'metrics' && check === undefined && registry)
    return { status: 200, body: await registry.metrics(), type: registry.contentType };
  const checks = new Map([
    ['livez', live],
    ['healthz', live],
    ['readyz', ready],
  ]).get(endpoint);
  const known = checks && (check === undefined || Object.hasOwn(checks, check)) && more.length === 0;
  if (!known) return { status: 404, body: `try /livez, /readyz${registry ? ' or /metrics' : ''}\n` };
  return resultOf(Object.entries(checks).filter(([name]) => check === undefined || name === check));
}

function resultOf(checks: readonly (readonly [string, HealthCheck])[]): HealthResponse {
  const results = checks.map(([name, check]) => ({ name, problem: check() }));
  const lines = results.map(({ name, problem }) => (problem ? `[-] ${name}: ${problem}` : `[+] ${name} ok`));
  return { status: results.some(({ problem }) => problem) ? 503 : 200, body: [...lines, ''].join('\n') };
}

const listen = (server: Server, { host, port }: HealthServerOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
