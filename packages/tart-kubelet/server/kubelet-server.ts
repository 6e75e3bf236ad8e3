/**
 * HTTPS server of the kubelet API: logs, exec, port-forward and metrics of this Node, with access control by the API
 * server.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorFields, type Log } from '@minifleet/kube';
import { createAuthenticate } from './access/authenticate.ts';
import { createAuthorize } from './access/authorize.ts';
import type { AuthenticatedUser } from './access/reviews.ts';
import { HttpProblem, type KubeletCall } from './kubelet-request.ts';

import { findRoute } from './routes.ts';
import type { ServerDeps } from './server-deps.ts';
import { isSupported } from './upgrade.ts';

export interface ServingCertificate {
  /** PEM, including intermediates. */
  readonly certificate: string;
  readonly privateKey: string;
}

interface KubeletServerOptions extends ServerDeps {
  readonly host: string;
  /** 10250 by convention; 0 picks a free port. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** PEM of the authority that issues client certificates. */
  readonly clientAuthority: string;
}

export interface KubeletServer {
  readonly port: number;
  /** New connections use the new certificate; open ones continue. */
  replaceCertificate(serving: ServingCertificate): void;
  /** Ends every connection, including streams and followed logs. */
  close(): Promise<void>;
}

/**
 * Longer than a Go client keeps an idle connection: if the server closed first, the client's next request would be
 * reset.
 */
const KEEP_ALIVE_MS = 120_000;

export async function startKubeletServer(options: KubeletServerOptions): Promise<KubeletServer> {
  const { log } = options;
  const admit = createAdmission(options);
  const upgraded = new Set<Duplex>();
  const context = ({ certificate, privateKey }: ServingCertificate) => ({
    cert: certificate,
    key: privateKey,
    ca: options.clientAuthority,
    minVersion: 'TLSv1.2' as const,
  });
  const server = createServer(
    // An invalid certificate is answered with 401 instead of closing the connection: a client with a token needs none.
    {
      ...context(options.serving),
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Some clients offer HTTP/2 with every request (`Upgrade: h2c`); they are answered in HTTP/1.
      shouldUpgradeCallback: request => isSupported(request.headers.upgrade),
    },
    (request, response) => void answer({ admit, log }, request, response),
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    // A client that disappears resets the socket, possibly while nothing else listens for errors.
    socket.on('error', () => undefined);
    void upgradeOrAnswer({ admit, log }, { request, socket, head });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    replaceCertificate: serving => server.setSecureContext(context(serving)),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }),
  };
}

type Admit = (
  request: IncomingMessage,
) => Promise<{ readonly route: ReturnType<typeof findRoute>['route']; readonly call: KubeletCall }>;

/**
 * Authentication, authorization, routing: in this order, so that unauthenticated clients learn nothing, not even which
 * paths exist.
 */
function createAdmission(server: KubeletServerOptions): Admit {
  const authenticate = createAuthenticate(server);
  const authorize = createAuthorize(server);
  return async request => {
    const user = await authenticate(request).catch((error: unknown): AuthenticatedUser | undefined => {
      server.log.warn(errorFields(error), 'Token review failed');
      return undefined;
    });
    if (!user) throw new HttpProblem(401, 'Unauthorized');
    const { pathname } = new URL(request.url ?? '/', 'https://kubelet');
    await authorize(user, request.method ?? '', pathname);
    const { route, call } = findRoute(request);
    return { route, call: { ...call, server } };
  };
}

interface RequestHandlerDeps {
  readonly admit: Admit;
  readonly log: Log;
}

async function answer(
  { admit, log }: RequestHandlerDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { route, call } = await admit(request);
    if (!route.answer) throw new HttpProblem(400, 'Upgrade request required');
    if (request.method !== 'GET') throw new HttpProblem(405, '405: Method Not Allowed');
    await route.answer(call, response);
  } catch (error) {
    sendProblem(error, response, log);
  }
}

interface RawUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

async function upgradeOrAnswer(
  { admit, log }: RequestHandlerDeps,
  { request, socket, head }: RawUpgrade,
): Promise<void> {
  const written = bytesWritten(socket);
  try {
    const { route, call } = await admit(request);
    if (!route.upgrade) throw new HttpProblem(400, 'this path does not support upgrades');
    await route.upgrade({ call, socket, head });
  } catch (error) {
    // After the protocol upgrade, an HTTP response would corrupt the stream.
    if (bytesWritten(socket) !== written) return void socket.destroy();
    const response = new ServerResponse(request);
    response.assignSocket(socket as never);
    response.shouldKeepAlive = false;
    response.once('finish', () => socket.end());
    sendProblem(error, response, log);
  }
}

const bytesWritten = (socket: Duplex): number => ('bytesWritten' in socket ? Number(socket.bytesWritten) : 0);

function sendProblem(error: unknown, response: ServerResponse, log: Log): void {
  if (!(error instanceof HttpProblem)) log.error(errorFields(error), 'Request failed');
  if (response.headersSent) return void response.destroy();
  const problem = error instanceof HttpProblem ? error : new HttpProblem(500, 'internal error', { cause: error });
  response
    .writeHead(problem.status, { 'content-type': 'text/plain; charset=utf-8', ...problem.headers })
    .end(problem.message);
}
