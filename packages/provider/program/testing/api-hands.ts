import { type ApiRequest, type Client, ConnectionError, createClient, type Transport } from '@minifleet/kube';
import type { MemoryApi } from '@minifleet/kube/testing';
import { retrying } from '@minifleet/kube/testing/client';
import type { Failures, Life } from './life.ts';

type ApiLife = Pick<Life<'api'>, 'act' | 'read' | 'onKill' | 'clock'>;

/** The API server as one process of a program reaches it; `named` is what its effects are called. */
export function apiTransport(api: MemoryApi, life: ApiLife, named: (request: ApiRequest) => string): Transport {
  const transport: Transport = {
    send: request => {
      const send = (): Promise<Awaited<ReturnType<Transport['send']>>> => api.transport.send(request);
      return request.method === 'GET'
        ? life.read(send)
        : life.act(
            { kind: 'api', name: named(request) },
            send,
            failuresOf(request, () => refuse(api, request)),
          );
    },
    async open(request) {
      const stream = await life.read(() => api.transport.open(request));
      life.onKill(() => stream.close());
      return stream;
    },
    close: () => api.transport.close(),
  };
  return retrying(transport, { clock: life.clock });
}

/** `account` answers what the API in memory does not: requests for tokens. */
export function apiHands(api: MemoryApi, account: Client, life: Life): Client {
  const client = createClient(apiTransport(api, life, nameOf));
  return {
    ...client,
    send: request =>
      request.path.endsWith('/token')
        ? life.act({ kind: 'api', name: 'create serviceaccounts/token' }, () => account.send(request), {
            ...failuresOf<string>(request, () => account.send(request)),
          })
        : client.send(request),
  };
}

/** Simulates a conflicting write by another client. A create meets no conflict, so its connection breaks instead. */
function refuse(api: MemoryApi, request: ApiRequest): ReturnType<Transport['send']> {
  const { method, path } = request;
  const match = { method, path };
  if (method === 'POST') api.faults.dropNext({ match, when: 'before' });
  else api.faults.failNext({ match, status: 409, reason: 'Conflict', message: 'the object has been modified' });
  return api.transport.send(request);
}

const failuresOf = <T>({ method, path }: ApiRequest, refused: () => Promise<T>): Failures<T> => ({
  refused,
  lost: () => Promise.reject(new ConnectionError(`${method} ${path}: the answer is lost`)),
});

const VERBS = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;
const PATH =
  /^\/apis?(?:\/[^/]+)?\/v[^/]+(?:\/namespaces\/[^/]+(?=\/))?\/(?<plural>[^/]+)(?:\/(?<object>[^/]+)(?:\/(?<part>[^/]+))?)?$/;

/** `patch hostclaims/status`; of Secrets also which. */
export function nameOf({ method, path, body }: Pick<ApiRequest, 'method' | 'path' | 'body'>): string {
  const { plural = path, object, part } = PATH.exec(path)?.groups ?? {};
  const name = object ?? (body as { metadata?: { name?: string } } | undefined)?.metadata?.name ?? '';
  const which = plural === 'secrets' ? ` (${secretNamed(name)})` : '';
  return `${VERBS[method]} ${plural}${part === undefined ? '' : `/${part}`}${which}`;
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/^bootstrap-token-/, 'token'],
  [/-bootstrap$/, 'host'],
  [/-ssh$/, 'fleet key'],
  [/-kubeconfig$/, 'kubeconfig'],
  [/^kubeconfig\./, 'anchor of kubeconfigs'],
];

const secretNamed = (name: string): string => SECRETS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
