/** The kubelet's HTTPS server: logs, commands, ports, metrics of this Node, for whom the API server allows it. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorFields, type Log } from '@minifleet/kube';
import { createAuthenticate } from './access/authenticate.ts';
import { createAuthorize } from './access/authorize.ts';
import type { User } from './access/reviews.ts';
import { type Call, HttpProblem } from './kubelet-request.ts';

import { findRoute } from './routes.ts';
import type { ServerParts } from './server-deps.ts';
import { isSpoken } from './upgrade.ts';

export interface ServingCertificate {
  /** PEM, with the intermediates, if any. */
  readonly certificate: string;
  readonly privateKey: string;
}

interface KubeletServerOptions extends ServerParts {
  readonly host: string;
  /** 10250, where everyone looks for it; 0 chooses one. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** PEM of the authority whose client certificates are believed. */
  readonly clientAuthority: string;
}

export interface KubeletServer {
  readonly port: number;
  /** New connections get the new certificate; open ones go on. */
  replaceCertificate(serving: ServingCertificate): void;
  /** Ends every connection, streams and followed logs too. */
  close(): Promise<void>;
}

/** Longer than a Go client keeps an idle connection: it should be the one to close, or its next request meets a reset. */
const KEEP_IDLE_MS = 120_000;

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
    // A wrong certificate is answered (401) rather than cut off: who holds a token needs none.
    {
      ...context(options.serving),
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: KEEP_IDLE_MS,
      // Some clients offer HTTP/2 with every request (`Upgrade: h2c`): they get their answer in HTTP/1.
      shouldUpgradeCallback: request => isSpoken(request.headers.upgrade),
    },
    (request, response) => void answer({ admit, log }, request, response),
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    // A client that vanishes resets the socket, which nobody else may be listening to at that moment.
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
) => Promise<{ readonly route: ReturnType<typeof findRoute>['route']; readonly call: Call }>;

/** Who are you, may you, what do you want: in this order, so that a stranger learns nothing, not even which paths exist. */
function createAdmission(server: KubeletServerOptions): Admit {
  const authenticate = createAuthenticate(server);
  const authorize = createAuthorize(server);
  return async request => {
    const user = await authenticate(request).catch((error: unknown): User | undefined => {
      server.log.warn(errorFields(error), 'a token could not be reviewed');
      return undefined;
    });
    if (!user) throw new HttpProblem(401, 'Unauthorized');
    const { pathname } = new URL(request.url ?? '/', 'https://kubelet');
    await authorize(user, request.method ?? '', pathname);
    const { route, call } = findRoute(request);
    return { route, call: { ...call, server } };
  };
}

interface Desk {
  readonly admit: Admit;
  readonly log: Log;
}

async function answer({ admit, log }: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
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

async function upgradeOrAnswer({ admit, log }: Desk, { request, socket, head }: RawUpgrade): Promise<void> {
  const written = bytesWritten(socket);
  try {
    const { route, call } = await admit(request);
    if (!route.upgrade) throw new HttpProblem(400, 'this path cannot be upgraded');
    await route.upgrade({ call, socket, head });
  } catch (error) {
    // After the protocol has changed, an HTTP answer would be noise in it.
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
  if (!(error instanceof HttpProblem)) log.error(errorFields(error), 'a request failed');
  if (response.headersSent) return void response.destroy();
  const problem = error instanceof HttpProblem ? error : new HttpProblem(500, 'internal error', { cause: error });
  response
    .writeHead(problem.status, { 'content-type': 'text/plain; charset=utf-8', ...problem.headers })
    .end(problem.message);
}
