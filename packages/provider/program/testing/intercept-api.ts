import { type ApiRequest, type Client, ConnectionError, createClient, type Transport } from '@minifleet/kube';
import type { MemoryApi } from '@minifleet/kube/testing';
import { retrying } from '@minifleet/kube/testing/client';
import type { FaultResponses, ProgramRun } from './program-run.ts';

type ApiRun = Pick<ProgramRun<'api'>, 'act' | 'read' | 'onKill' | 'clock'>;

/** Transport of one process to the API server that injects faults at writes. `nameOfEffect` names the effect of a write. */
export function interceptTransport(
  api: MemoryApi,
  run: ApiRun,
  nameOfEffect: (request: ApiRequest) => string,
): Transport {
  const transport: Transport = {
    send: request => {
      const send = (): Promise<Awaited<ReturnType<Transport['send']>>> => api.transport.send(request);
      return request.method === 'GET'
        ? run.read(send)
        : run.act(
            { kind: 'api', name: nameOfEffect(request) },
            send,
            responsesTo(request, () => reject(api, request)),
          );
    },
    async open(request) {
      const stream = await run.read(() => api.transport.open(request));
      run.onKill(() => stream.close());
      return stream;
    },
    close: () => api.transport.close(),
  };
  return retrying(transport, { clock: run.clock });
}

/** Client of one process. `account` handles token requests, which the in-memory API does not support. */
export function interceptApi(api: MemoryApi, account: Client, run: ProgramRun): Client {
  const client = createClient(interceptTransport(api, run, nameOf));
  return {
    ...client,
    send: request =>
      request.path.endsWith('/token')
        ? run.act({ kind: 'api', name: 'create serviceaccounts/token' }, () => account.send(request), {
            ...responsesTo<string>(request, () => account.send(request)),
          })
        : client.send(request),
  };
}

/** Simulates a conflicting write by another client. A create has no conflict, so its connection breaks instead. */
function reject(api: MemoryApi, request: ApiRequest): ReturnType<Transport['send']> {
  const { method, path } = request;
  const match = { method, path };
  if (method === 'POST') api.faults.dropNext({ match, when: 'before' });
  else api.faults.failNext({ match, status: 409, reason: 'Conflict', message: 'the object has been modified' });
  return api.transport.send(request);
}

const responsesTo = <T>({ method, path }: ApiRequest, rejected: () => Promise<T>): FaultResponses<T> => ({
  rejected,
  responseLost: () => Promise.reject(new ConnectionError(`${method} ${path}: response lost`)),
});

const VERBS = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;
const PATH =
  /^\/apis?(?:\/[^/]+)?\/v[^/]+(?:\/namespaces\/[^/]+(?=\/))?\/(?<plural>[^/]+)(?:\/(?<object>[^/]+)(?:\/(?<part>[^/]+))?)?$/;

/** Name of an effect: `patch machosts/status`. For a Secret it includes its purpose: `create secrets (token)`. */
export function nameOf({ method, path, body }: Pick<ApiRequest, 'method' | 'path' | 'body'>): string {
  const { plural = path, object, part } = PATH.exec(path)?.groups ?? {};
  const name = object ?? (body as { metadata?: { name?: string } } | undefined)?.metadata?.name ?? '';
  const which = plural === 'secrets' ? ` (${secretNamed(name)})` : '';
  return `${VERBS[method]} ${plural}${part === undefined ? '' : `/${part}`}${which}`;
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/^bootstrap-token-/, 'token'],
  [/-credentials$/, 'host'],
  [/-ssh$/, 'fleet key'],
  [/-kubeconfig$/, 'kubeconfig'],
  [/^kubeconfig\./, 'anchor of kubeconfigs'],
];

const secretNamed = (name: string): string => SECRETS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
