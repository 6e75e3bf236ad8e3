import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { milliseconds, pause } from '@minifleet/clock';
import type { Fault } from '../faults/fault-plan.ts';
import { createContent, type RegistryContent } from '../oci/image-content.ts';
import type { WorldDeps } from '../world-deps.ts';
import { Authorization, type AuthorizationOptions } from './authorization.ts';
import { createRoutes, type RegistryHttpRequest, type RegistryReply, refusal, writeHead } from './routes.ts';
import { type SeededImage, type SeedImageOptions, seedImage } from './seed-image.ts';

export interface RegistryOptions {
  readonly deps: WorldDeps;
  readonly host?: string;
  readonly port?: number;
  readonly authorization?: AuthorizationOptions;
  /** Bandwidth shared by all concurrent downloads (default: no limit). */
  readonly bytesPerSecond?: number;
}

export interface Registry {
  /** `127.0.0.1:<port>`, the prefix of image names. */
  readonly address: string;
  readonly url: string;
  readonly content: RegistryContent;
  /** Number of requests for each `METHOD kind`, such as `GET blob` or `PUT manifest`. */
  readonly counts: ReadonlyMap<string, number>;
  /** `name` without the host: `acme/runner:1`. */
  seedImage(name: string, options?: SeedImageOptions): SeededImage;
  limitBandwidth(bytesPerSecond: number | undefined): void;
  stop(): Promise<void>;
}

/** Number of pieces in which a body is sent while the bandwidth is limited. */
const SLICES = 10;

/** Starts an OCI registry on loopback. */
export async function startRegistry(options: RegistryOptions): Promise<Registry> {
  const { deps, host = '127.0.0.1' } = options;
  const chance = deps.chance.stream('registry');
  const line = { bytesPerSecond: options.bytesPerSecond, active: 0, ending: new AbortController() };
  const content = createContent();
  const counts = new Map<string, number>();
  const answer = createHandler({ ...options, content, counts });
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void serve({ deps, line, answer }, request, response);
  });
  await new Promise<void>(resolve => server.listen(options.port ?? 0, host, resolve));
  const address = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    address,
    url: `http://${address}`,
    content,
    counts,
    seedImage: (name, more = {}) => seedImage(content, name, { ...more, chance }),
    limitBandwidth: bytesPerSecond => {
      line.bytesPerSecond = bytesPerSecond;
    },
    stop: () => stop(server, line.ending),
  };
}

function stop(server: Server, ending: AbortController): Promise<void> {
  ending.abort();
  server.closeAllConnections();
  return new Promise(resolve => server.close(() => resolve()));
}

interface RegistryHandlerOptions extends RegistryOptions {
  readonly content: RegistryContent;
  readonly counts: Map<string, number>;
}

type RegistryHandler = (request: IncomingMessage, asked: RegistryHttpRequest) => RegistryReply;

function createHandler(options: RegistryHandlerOptions): RegistryHandler {
  const { deps, counts } = options;
  const authorization = new Authorization(options.authorization, deps.chance.stream('tokens'));
  const routes = createRoutes(options.content, deps.chance.stream('uploads'));
  return (request, asked) => {
    const kind = /\/(manifests|blobs\/uploads|blobs|tags)\//.exec(asked.path)?.[1] ?? asked.path;
    const key = `${asked.method} ${kind.replace(/s$/, '')}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (asked.path === '/token') return tokenReply(authorization.mint(request.headers.authorization));
    const verdict = authorization.judge(request.headers.authorization, `http://${request.headers.host ?? ''}`);
    if (!verdict.allowed) {
      const denied = refusal(401, 'UNAUTHORIZED', 'authentication required');
      return { ...denied, headers: { ...denied.headers, 'www-authenticate': verdict.challenge } };
    }
    const reply = routes(asked);
    if (reply) return reply;
    deps.journal.unmodelled('registry', `${asked.method} ${asked.path}`);
    return refusal(404, 'UNSUPPORTED', 'The operation is unsupported.');
  };
}

const tokenReply = (token: string | undefined): RegistryReply =>
  token === undefined
    ? refusal(403, 'DENIED', 'denied')
    : { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify({ token })) };

interface RegistryServerDeps {
  readonly deps: WorldDeps;
  readonly line: { bytesPerSecond: number | undefined; active: number; readonly ending: AbortController };
  readonly answer: RegistryHandler;
}

async function serve(serving: RegistryServerDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { deps, answer } = serving;
  const url = new URL(request.url ?? '/', 'http://registry');
  const method = request.method ?? 'GET';
  const detail = `${method} ${url.pathname}`;
  deps.journal.add('registry', 'request', detail);
  const fault = deps.faults.strike({ place: 'registry', kind: 'request', detail });
  if (fault && (await applyFault(serving, fault, response))) return;
  const body = await readBody(request);
  if (body === undefined) return;
  const reply = answer(request, { method, path: url.pathname, query: url.searchParams, body });
  if (fault?.type === 'drop' && fault.when === 'after') return void response.destroy();
  await send(serving, { request, response, reply, breaks: fault?.type === 'drop' });
}

/** Returns true if the request needs no further response. */
async function applyFault(
  { deps, line }: RegistryServerDeps,
  fault: Fault,
  response: ServerResponse,
): Promise<boolean> {
  switch (fault.type) {
    case 'delay':
      await pause(deps.clock, fault.by, line.ending.signal);
      return false;
    case 'hang':
      return true;
    case 'drop':
      if (fault.when === 'before') response.destroy();
      return fault.when === 'before';
    case 'fail': {
      const retry = fault.retryAfter === undefined ? {} : { 'retry-after': `${Math.ceil(fault.retryAfter / 1_000)}` };
      const reply = refusal(fault.code, fault.code === 429 ? 'TOOMANYREQUESTS' : 'UNKNOWN', fault.message);
      const sent = { ...reply, headers: { ...reply.headers, ...retry } };
      writeHead(response, sent, false);
      response.end(sent.body);
      return true;
    }
    default:
      return fault satisfies never;
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
    return Buffer.concat(parts);
  } catch {
    // The client disconnected, so no response is sent.
    return undefined;
  }
}

interface RegistryTransfer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly reply: RegistryReply;
  /** Sends half of the body and closes the connection. */
  readonly breaks: boolean;
}

async function send(
  { deps, line }: RegistryServerDeps,
  { request, response, reply, breaks }: RegistryTransfer,
): Promise<void> {
  const head = request.method === 'HEAD';
  writeHead(response, reply, head);
  const body = reply.body ?? Buffer.alloc(0);
  if (head || body.length === 0) return void response.end();
  if (breaks) {
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
    return;
  }
  line.active += 1;
  for (let slice = 0; slice < SLICES && line.bytesPerSecond !== undefined && reply.standsFor !== undefined; slice++) {
    const bytes = reply.standsFor / SLICES;
    await pause(deps.clock, milliseconds((bytes / line.bytesPerSecond) * line.active * 1_000), line.ending.signal);
  }
  line.active -= 1;
  response.end(body);
}
