import type { Journal } from '../../journal.ts';
import type { ApiKey } from '../model/account.ts';
import { findRoute, isObject, type ScalewayRoute } from './call.ts';
import { type GatewayRequest, PLACE, type RateLimit } from './gateway.ts';
import { jsonReply, type ScalewayReply } from './reply.ts';
import {
  deniedAuthentication,
  invalidArgument,
  type JsonObject,
  type JsonValue,
  ScalewayApiError,
} from './scaleway-api-error.ts';

export interface ScalewayApi {
  readonly routes: readonly ScalewayRoute[];
  readonly keys: readonly ApiKey[];
  readonly rateLimit: RateLimit;
  readonly journal: Journal;
}

/** Authenticates, applies the rate limit, finds the route and runs it. Errors become their JSON bodies. */
export function answerRequest(api: ScalewayApi, request: GatewayRequest): ScalewayReply {
  const what = `${request.method} ${request.path}`;
  let headers: ScalewayReply['headers'] = {};
  try {
    const key = authenticate(api.keys, request.token);
    headers = api.rateLimit.admit(key.secretKey);
    const reply = run(api, request, key);
    api.journal.add(PLACE, 'request', `${what} ${reply.status}`);
    return { ...reply, headers: { ...reply.headers, ...headers } };
  } catch (error) {
    if (!(error instanceof ScalewayApiError)) throw error;
    api.journal.add(PLACE, 'refused', `${what} ${error.message}`);
    return jsonReply(error.status, error.body, headers);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function authenticate(keys: readonly ApiKey[], token: string | undefined): ApiKey {
  if (token === undefined || !UUID.test(token)) throw deniedAuthentication('invalid_argument');
  const key = keys.find(candidate => candidate.secretKey === token);
  if (!key) throw deniedAuthentication('not_found');
  return key;
}

function run(api: ScalewayApi, request: GatewayRequest, key: ApiKey): ScalewayReply {
  const match = findRoute(api.routes, request.method, request.path);
  if (!match) {
    api.journal.unmodelled(PLACE, `${request.method} ${request.path}`);
    // The body for an unknown path is derived. Without a resource, the SDK throws a generic error.
    throw new ScalewayApiError(404, { message: 'not found', type: 'not_found' });
  }
  const { route, parts } = match;
  const body = parse(request.body);
  reportUnknown(api.journal, route, { query: request.query, body });
  const answer = route.run({ key, query: request.query, body, part: name => parts.get(name) ?? '' });
  return jsonReply(answer.status, answer.body);
}

function parse(body: string): JsonObject {
  if (body === '') return {};
  let value: JsonValue;
  try {
    value = JSON.parse(body) as JsonValue;
  } catch {
    throw invalidArgument('body', 'format', 'invalid JSON');
  }
  if (!isObject(value)) throw invalidArgument('body', 'format', 'not an object');
  return value;
}

function reportUnknown(
  journal: Journal,
  route: ScalewayRoute,
  given: { readonly query: URLSearchParams; readonly body: JsonObject },
): void {
  const unknown = [
    ...[...given.query.keys()].filter(name => !route.query?.includes(name)).map(name => `?${name}`),
    ...Object.keys(given.body).filter(name => !route.fields?.includes(name)),
  ];
  for (const name of unknown) journal.unmodelled(PLACE, `${route.method} ${route.path} ${name}`);
}
