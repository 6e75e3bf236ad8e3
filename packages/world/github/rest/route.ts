import type { Scope } from '../accounts.ts';
import { type Caller, requireInstallation } from '../auth/caller.ts';
import type { GithubState } from '../github-state.ts';
import type { PermissionLevel } from '../options.ts';
import { notAccessible, notFound } from './github-api-error.ts';
import type { RateLimitResource } from './rate-limits.ts';

const MOST_PER_PAGE = 100;
const USUAL_PER_PAGE = 30;

export const PAGING = ['per_page', 'page'] as const;

/** Returns one page of a list and its `Link` header. Page sizes above 100 are silently reduced to 100. */
export function page<Item>(
  call: GithubCall,
  items: readonly Item[],
): { readonly items: readonly Item[]; readonly headers: Record<string, string> } {
  const size = Math.min(positive(call.query.get('per_page'), USUAL_PER_PAGE), MOST_PER_PAGE);
  const number = positive(call.query.get('page'), 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const link = (rel: string, target: number): string => {
    const url = new URL(call.url);
    url.searchParams.set('page', String(target));
    return `<${url.href}>; rel="${rel}"`;
  };
  const links = [
    ...(number > 1 ? [link('prev', number - 1)] : []),
    ...(number < last ? [link('next', number + 1), link('last', last)] : []),
    ...(number > 1 ? [link('first', 1)] : []),
  ];
  return {
    items: items.slice((number - 1) * size, number * size),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  };
}

function positive(text: string | null, otherwise: number): number {
  const number = Number(text);
  return text !== null && Number.isInteger(number) && number > 0 ? number : otherwise;
}

/** One parsed request. */
export interface GithubCall {
  readonly forge: GithubState;
  readonly caller: Caller;
  /** Values of the `{…}` in the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly authorization: string | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  /** URL of the request, for links. */
  readonly url: URL;
}

export interface GithubResponse {
  readonly status: number;
  readonly body?: unknown;
  /** Sent instead of the JSON body. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One endpoint. `path` is written as in the OpenAPI description, so that the two can be compared. */
export interface GithubRoute {
  readonly method: HttpMethod;
  readonly path: string;
  /** Required caller: an App with its JSON web token, or an installation with a permission. */
  readonly as: 'app' | 'anyone' | Readonly<Record<string, PermissionLevel>>;
  /** Known query parameters and body fields; others are recorded as not modelled. */
  readonly query?: readonly string[];
  readonly fields?: readonly string[];
  readonly resource?: RateLimitResource;
  /** Not part of GitHub's REST API: not rate-limited, not in the description, and with its own authentication. */
  readonly beside?: true;
  /** Newer than the stored OpenAPI description, so it is not validated. */
  readonly undescribed?: true;
  answer(call: GithubCall): GithubResponse | Promise<GithubResponse>;
}

export interface GithubRouteMatch {
  readonly route: GithubRoute;
  readonly parameters: Readonly<Record<string, string>>;
}

export function findRoute(routes: readonly GithubRoute[], method: string, path: string): GithubRouteMatch | undefined {
  const segments = path.split('/');
  for (const route of routes) {
    if (route.method !== method) continue;
    const parameters = matchPath(route.path.split('/'), segments);
    if (parameters) return { route, parameters };
  }
  return undefined;
}

function matchPath(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== segment : segment === '') return undefined;
    if (name !== undefined) parameters[name] = decodeURIComponent(segment);
  }
  return parameters;
}

/** Returns the organization or repository of the path. Throws unless the caller's installation covers it. */
export function scopeOf({ forge, caller, parameters }: GithubCall): Scope {
  const { org, owner, repo } = parameters;
  const scope = forge.accounts.findScope(org ?? `${owner}/${repo}`);
  if (!scope) throw notFound();
  if (requireInstallation(caller).grant.installation.account !== scope.account) throw notAccessible();
  return scope;
}
