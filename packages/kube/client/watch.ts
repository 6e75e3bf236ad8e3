import { defined } from '../defined.ts';
import type { KubeObject } from '../object.ts';
import { ApiError, errorFromResponse, type Status } from './api-error.ts';
import type { Watch, WatchOptions } from './client.ts';
import { apiVersionOf, collectionPath, type Resource } from './resource.ts';
import { type ApiRequest, asMetadata, type Transport } from './transport.ts';

/** One line of a watch. A bookmark carries nothing but a newer resourceVersion to resume from. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: { readonly metadata: { readonly resourceVersion: string } } };

export async function openWatch<T extends KubeObject>(
  transport: Transport,
  resource: Resource<T>,
  options: WatchOptions,
): Promise<Watch<T>> {
  const { namespace, signal, timeout, metadataOnly, ...query } = options;
  const request: ApiRequest = {
    method: 'GET',
    path: collectionPath(resource, namespace),
    query: { ...query, watch: true, allowWatchBookmarks: true, timeoutSeconds: Math.ceil(timeout / 1_000) },
    ...(metadataOnly ? { accept: asMetadata('PartialObjectMetadata') } : {}),
    ...defined({ signal }),
  };
  const stream = await transport.open(request);
  if (stream.status >= 400) throw errorFromResponse(request, { ...stream, body: await readAll(stream.lines) });
  const events = decode<T>(stream.lines, request);
  return { events: metadataOnly ? named(events, resource) : events, close: () => stream.close() };
}

async function* decode<T>(lines: AsyncIterable<string>, request: ApiRequest): AsyncGenerator<WatchEvent<T>> {
  for await (const line of lines) {
    const event = JSON.parse(line) as WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Status };
    if (event.type === 'ERROR') throw new ApiError(event.object, { asked: `watch ${request.path}` });
    yield event;
  }
}

/** Metadata comes without the kind it belongs to; in a list the client fills it in, too. */
async function* named<T extends KubeObject>(
  events: AsyncIterable<WatchEvent<T>>,
  resource: Resource,
): AsyncGenerator<WatchEvent<T>> {
  for await (const event of events) {
    Object.assign(event.object, { apiVersion: apiVersionOf(resource), kind: resource.kind });
    yield event;
  }
}

async function readAll(lines: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const line of lines) text += line;
  return text;
}
