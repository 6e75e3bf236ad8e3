import { type Caller, callerName, identify, requireApp, requireInstallation } from '../auth/caller.ts';
import type { GithubState } from '../github-state.ts';
import type { OpenApiCheck } from '../openapi/published-check.ts';
import { GithubApiError, notAccessible, notFound } from './github-api-error.ts';
import { type RateLimitResource, rateLimitHeaders } from './rate-limits.ts';
import { findRoute, type GithubCall, type GithubResponse, type GithubRoute, type GithubRouteMatch } from './route.ts';
import { allows } from './routes/app-routes.ts';

export interface GithubRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined when the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly id: string;
  readonly signal: AbortSignal;
}

export interface GithubRequestDeps {
  readonly forge: GithubState;
  readonly routes: readonly GithubRoute[];
  readonly check: OpenApiCheck | undefined;
}

const VERSIONS = ['2022-11-28', '2026-03-10'];

/** Handles one request in GitHub's order: version, identity, rate limit, permission, endpoint. */
export async function answerRequest(desk: GithubRequestDeps, request: GithubRequest): Promise<GithubResponse> {
  const { forge } = desk;
  const path = request.url.pathname.replace(/^\/api\/v3(?=\/|$)/, '');
  const match = findRoute(desk.routes, request.method, path);
  if (!match) forge.world.journal.unmodelled('github', `${request.method} ${path}`);
  if (match?.route.beside) return answerInternal(forge, request, match);
  const resource = match?.route.resource ?? 'core';
  let caller: Caller = { kind: 'anonymous' };
  let answer: GithubResponse;
  try {
    refuseBadHeaders(request);
    caller = identify(forge, request.headers['authorization']);
    if (match?.route.path !== '/rate_limit') forge.limits.spend(callerName(caller), resource, request.id);
    answer = await answerAs(desk, request, { match, caller });
  } catch (error) {
    answer = asAnswer(error);
  }
  if (match) desk.check?.answer(match.route, answer);
  return { ...answer, headers: { ...commonHeaders(forge, caller, resource), ...answer.headers } };
}

async function answerInternal(
  forge: GithubState,
  request: GithubRequest,
  match: GithubRouteMatch,
): Promise<GithubResponse> {
  try {
    return await match.route.answer(callOf(forge, request, { match, caller: { kind: 'anonymous' } }));
  } catch (error) {
    return asAnswer(error);
  }
}

function refuseBadHeaders({ headers }: GithubRequest): void {
  if (!headers['user-agent']) {
    throw new GithubApiError(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    );
  }
  const version = headers['x-github-api-version'];
  // The status is documented, the text is derived.
  if (version !== undefined && !VERSIONS.includes(version)) {
    throw new GithubApiError(400, `Invalid or unsupported API version: ${version}`);
  }
}

interface RoutedCaller {
  readonly match: GithubRouteMatch | undefined;
  readonly caller: Caller;
}

async function answerAs(
  desk: GithubRequestDeps,
  request: GithubRequest,
  { match, caller }: RoutedCaller,
): Promise<GithubResponse> {
  const { forge } = desk;
  if (!match) throw notFound();
  if (!request.body) throw new GithubApiError(400, 'Problems parsing JSON');
  reportUnknown(forge, request, match.route);
  desk.check?.request(match.route, request);
  permit(match.route, caller);
  return match.route.answer(callOf(forge, request, { match, caller }));
}

const callOf = (
  forge: GithubState,
  request: GithubRequest,
  { match, caller }: { match: GithubRouteMatch; caller: Caller },
): GithubCall => ({
  forge,
  caller,
  parameters: match.parameters,
  query: request.url.searchParams,
  body: request.body ?? {},
  authorization: request.headers['authorization'],
  headers: request.headers,
  signal: request.signal,
  url: request.url,
});

function permit({ as }: GithubRoute, caller: Caller): void {
  if (as === 'anyone') return;
  if (as === 'app') {
    requireApp(caller);
    return;
  }
  const { permissions } = requireInstallation(caller).grant;
  for (const [name, access] of Object.entries(as)) if (!allows(permissions, name, access)) throw notAccessible();
}

/** Reports unknown parameters: a test that relies on an ignored one would pass by luck. */
function reportUnknown({ world }: GithubState, { url, body, method }: GithubRequest, route: GithubRoute): void {
  for (const name of url.searchParams.keys()) {
    if (!route.query?.includes(name)) world.journal.unmodelled('github', `${method} ${route.path} ?${name}=`);
  }
  for (const name of Object.keys(body ?? {})) {
    if (!route.fields?.includes(name)) world.journal.unmodelled('github', `${method} ${route.path} field ${name}`);
  }
}

function asAnswer(error: unknown): GithubResponse {
  if (!(error instanceof GithubApiError)) throw error;
  return { status: error.status, body: error.body, headers: error.headers };
}

const commonHeaders = (forge: GithubState, caller: Caller, resource: RateLimitResource): Record<string, string> => ({
  'x-github-media-type': 'github.v3; format=json',
  'x-github-api-version-selected': VERSIONS[0] ?? '',
  'access-control-expose-headers': 'ETag, Link, Retry-After, X-GitHub-Request-Id, X-RateLimit-Remaining',
  ...rateLimitHeaders(forge.limits.read(callerName(caller), resource), resource),
});
