import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Duration, pause } from '@minifleet/clock';
import type { Fault } from '../../faults/fault-plan.ts';
import { GithubApiError, requestId } from './github-api-error.ts';
import { answerRequest, type GithubRequestDeps } from './github-request.ts';

import type { GithubResponse } from './route.ts';

/** HTTP server of the simulated GitHub, which injects the faults of the fault plan. */
export function createRestServer(desk: () => GithubRequestDeps, closing: AbortSignal): Server {
  return createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, closing]);
    exchange(desk(), { request, response, signal }).catch((error: unknown) => {
      desk().forge.world.journal.add('github', 'broken', String(error));
      response.writeHead(500).end(String(error instanceof Error ? error.stack : error));
    });
  });
}

interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

async function exchange(desk: GithubRequestDeps, { request, response, signal }: HttpExchange): Promise<void> {
  const { world } = desk.forge;
  const url = new URL(request.url ?? '/', desk.forge.address.api);
  const method = request.method ?? 'GET';
  const detail = `${method} ${url.pathname.replace(/^\/api\/v3(?=\/)/, '')}`;
  const fault = world.faults.strike({ place: 'github', kind: 'request', detail });
  if (fault) world.journal.add('github', `fault ${fault.type}`, detail);
  if (fault?.type === 'hang') return;
  if (fault?.type === 'drop' && fault.when === 'before') return void request.socket.destroy();
  if (fault?.type === 'delay') await pause(world.clock, fault.by, signal);
  const id = requestId(world.chance);
  const answer =
    fault?.type === 'fail'
      ? failure(fault)
      : await answerRequest(desk, {
          method,
          url,
          headers: request.headers as Record<string, string | undefined>,
          body: await readBody(request),
          id,
          signal,
        });
  world.journal.add('github', 'request', `${detail} ${answer.status}`);
  if (fault?.type === 'drop' && fault.when === 'after') return void request.socket.destroy();
  const date = new Date(world.clock.now()).toUTCString();
  write(response, answer, { headers: { 'x-github-request-id': id, date }, broken: fault?.type === 'drop' });
}

function failure({ code, message, retryAfter }: Extract<Fault, { type: 'fail' }>): GithubResponse {
  const headers: Record<string, string> = retryAfter ? { 'retry-after': inSeconds(retryAfter) } : {};
  return { status: code, body: new GithubApiError(code, message).body, headers };
}

const inSeconds = (duration: Duration): string => String(Math.ceil(duration / 1_000));

interface ResponseWriteOptions {
  /** Includes GitHub's own `Date`, by which a client with a wrong clock corrects itself. */
  readonly headers: Readonly<Record<string, string>>;
  /** Breaks the connection in the middle of the response. */
  readonly broken: boolean;
}

function write(response: ServerResponse, answer: GithubResponse, written: ResponseWriteOptions): void {
  const { status, body, headers } = answer;
  const text = answer.text ?? (body === undefined ? '' : JSON.stringify(body));
  response.writeHead(status, {
    ...(text !== '' && { 'content-type': 'application/json; charset=utf-8' }),
    ...(status !== 204 && { 'content-length': String(Buffer.byteLength(text)) }),
    server: 'github.com',
    ...headers,
    ...written.headers,
  });
  if (!written.broken) return void response.end(text);
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

/** Undefined when the body is not a JSON object. */
async function readBody(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (chunks.length === 0) return {};
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
