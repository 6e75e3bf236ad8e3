import { apiVersionOf } from '../../client/resource.ts';
import { type ListView, shownIn } from '../kinds/served-kind.ts';
import { badRequest, expired, Refusal } from '../server/refusal.ts';
import type { JsonObject, StoredObject } from './json.ts';
import type { Selection } from './selection.ts';
import type { Store } from './store.ts';

export interface ListQuery {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
}

/** One page of a list. All pages of a list show the state at the version of the first one. */
export function listObjects(store: Store, request: ListRequest): JsonObject {
  const { kind, selection, query } = request;
  refuseFuture(store, query.resourceVersion);
  const token = query.continue ? readToken(query.continue) : undefined;
  const version = token?.rv ?? store.version;
  const objects = token ? store.snapshot(kind.id, version) : store.all(kind.id);
  if (!objects) {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. ' +
        'You must start a new list without the continue parameter.',
    );
  }
  const matching = objects.filter(selection.matches);
  const rest = token ? matching.filter(object => keyIn(object) >= token.start) : matching;
  const page = query.limit ? rest.slice(0, query.limit) : rest;
  return {
    kind: `${kind.resource.kind}List`,
    apiVersion: apiVersionOf(kind.resource),
    metadata: {
      resourceVersion: String(version),
      ...pageMetadata(page, rest, { version, selective: selection.selective }),
    },
    items: page.map(object => shownIn(request, object)),
  };
}

export interface ListRequest extends ListView {
  readonly selection: Selection;
  readonly query: ListQuery;
}

const keyIn = ({ metadata }: StoredObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

function pageMetadata(
  page: readonly StoredObject[],
  rest: readonly StoredObject[],
  { version, selective }: { version: number; selective: boolean },
): JsonObject {
  const last = page.at(-1);
  if (!last || page.length === rest.length) return {};
  const token: Token = { v: 'meta.k8s.io/v1', rv: version, start: `${keyIn(last)}\u0000` };
  return {
    continue: Buffer.from(JSON.stringify(token)).toString('base64url'),
    // With a selector the server would have to read on to know the number, and does not.
    ...(selective ? {} : { remainingItemCount: rest.length - page.length }),
  };
}

interface Token {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

function readToken(text: string): Token {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Token;
    if (typeof token.rv === 'number' && typeof token.start === 'string') return token;
  } catch {
    // refused below
  }
  throw badRequest('invalid continue token: continue key is not valid');
}

export function parseVersion(text: string | undefined): number {
  return text && /^\d+$/.test(text) ? Number(text) : 0;
}

function refuseFuture(store: Store, asked: string | undefined): void {
  if (asked && !/^\d+$/.test(asked)) {
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(asked)}`);
  }
  if (parseVersion(asked) <= store.version) return;
  throw new Refusal({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${store.version}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}
