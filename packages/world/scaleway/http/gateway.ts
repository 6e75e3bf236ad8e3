import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Clock, pause } from '@minifleet/clock';
import type { Fault } from '../../faults/fault-plan.ts';
import type { WorldDeps } from '../../world-deps.ts';
import type { VendorSettings } from '../vendor/settings.ts';
import { failureReply, type ScalewayReply, send, sendHalf } from './reply.ts';
import { tooManyRequests } from './scaleway-api-error.ts';

export const PLACE = 'scaleway';

/** A request as received. */
export interface GatewayRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly token: string | undefined;
  readonly body: string;
}

/**
 * HTTP server of the API: accepts connections, injects faults, and calls `answer` for the rest. Faults: `connect`
 * supports drop; `request` supports delay, hang, drop (before: the operation did not happen; during and after: it
 * happened, and the response is cut or lost), and fail (the operation did not happen).
 */
export function createGateway(
  world: WorldDeps,
  answer: (request: GatewayRequest) => ScalewayReply,
  stop: AbortSignal,
): Server {
  const server = createServer((request, response) => {
    serve(world, { request, response, answer, stop }).catch((error: unknown) => {
      world.journal.add(PLACE, 'broken', String(error));
      response.destroy();
    });
  });
  server.on('connection', socket => {
    const detail = `${socket.remoteAddress ?? ''}`;
    if (world.faults.strike({ place: PLACE, kind: 'connect', detail })?.type === 'drop') socket.destroy();
  });
  return server;
}

interface GatewayExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: (request: GatewayRequest) => ScalewayReply;
  readonly stop: AbortSignal;
}

async function serve(world: WorldDeps, { request, response, answer, stop }: GatewayExchange): Promise<void> {
  const received = await receive(request);
  const detail = `${received.method} ${received.path}`;
  const fault = world.faults.strike({ place: PLACE, kind: 'request', detail });
  if (fault) world.journal.add(PLACE, 'fault', `${detail}: ${JSON.stringify(fault)}`);
  if (fault?.type === 'delay') await pause(world.clock, fault.by, stop);
  if (!fault || fault.type === 'delay') send(response, answer(received));
  else applyFault(fault, response, () => answer(received));
}

function applyFault(
  fault: Exclude<Fault, { type: 'delay' }>,
  response: ServerResponse,
  answer: () => ScalewayReply,
): void {
  switch (fault.type) {
    case 'hang':
      return;
    case 'fail':
      send(response, failureReply(fault));
      return;
    case 'drop': {
      if (fault.when === 'before') {
        response.destroy();
        return;
      }
      const reply = answer();
      if (fault.when === 'during') sendHalf(response, reply);
      else response.destroy();
    }
  }
}

async function receive(request: IncomingMessage): Promise<GatewayRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://api');
  const token = request.headers['x-auth-token'];
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    token: Array.isArray(token) ? token[0] : token,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** Counts the requests of each key in time windows. With a stopped clock, a window never ends. */
export interface RateLimit {
  /** Counts one request and returns the headers for its response. Throws when the limit is exceeded. */
  admit(secretKey: string): Readonly<Record<string, string>>;
}

export function createRateLimit(clock: Clock, limit: VendorSettings['rateLimit']): RateLimit {
  if (limit === 'none') return { admit: () => ({}) };
  const { quota, window } = limit;
  const used = new Map<string, { began: number; requests: number }>();
  return {
    admit(secretKey) {
      const now = clock.now();
      const before = used.get(secretKey);
      const current = before && now - before.began < window ? before : { began: now, requests: 0 };
      used.set(secretKey, current);
      current.requests += 1;
      const reset = Math.max(1, Math.ceil((current.began + window - now) / 1_000));
      if (current.requests > quota) throw tooManyRequests(quota, window / 1_000, reset);
      return {
        'x-ratelimit-limit': `${quota}, ${quota};w=${window / 1_000}`,
        'x-ratelimit-remaining': String(quota - current.requests),
        'x-ratelimit-reset': String(reset),
      };
    },
  };
}
