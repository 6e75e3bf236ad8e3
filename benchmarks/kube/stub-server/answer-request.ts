import { ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { NAMESPACE } from '../names.ts';
import type { Collection } from './collection.ts';

export type Collections = ReadonlyMap<string, Collection>;
export type Verb = 'list' | 'watch' | 'patch' | 'other';

const PREFIX = `/api/v1/namespaces/${NAMESPACE}/`;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Handles one request like a real API server, and returns its verb. Implements only what the loops need. */
export function answerRequest(
  collections: Collections,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Verb {
  const url = new URL(request.url, 'https://stub');
  const [plural = '', name] = url.pathname.startsWith(PREFIX) ? url.pathname.slice(PREFIX.length).split('/') : [];
  const collection = collections.get(plural);
  if (collection && request.method === 'GET' && !name) {
    if (url.searchParams.get('watch') === 'true') return watch(collection, url, response);
    const limit = Number(url.searchParams.get('limit') ?? Number.POSITIVE_INFINITY);
    answer(response, 200, collection.list({ limit, start: Number(url.searchParams.get('continue') ?? 0) }));
    return 'list';
  }
  if (collection && request.method === 'PATCH' && name) {
    void patch({ collection, name }, request, response);
    return 'patch';
  }
  notFound(response);
  return 'other';
}

function watch(collection: Collection, url: URL, response: Http2ServerResponse): Verb {
  response.writeHead(200, JSON_TYPE);
  // Over HTTP/1 they would wait for the first event.
  if (response instanceof ServerResponse) response.flushHeaders();
  const end = collection.watch(Number(url.searchParams.get('resourceVersion') ?? 0), line => response.write(line));
  response.once('close', end);
  return 'watch';
}

async function patch(
  target: { readonly collection: Collection; readonly name: string },
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
  const patched = target.collection.patch(target.name, JSON.parse(body) as object);
  if (patched) answer(response, 200, patched);
  else notFound(response);
}

const notFound = (response: Http2ServerResponse): void =>
  answer(response, 404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 });

function answer(response: Http2ServerResponse, status: number, body: object): void {
  response.writeHead(status, JSON_TYPE);
  response.end(JSON.stringify(body));
}
