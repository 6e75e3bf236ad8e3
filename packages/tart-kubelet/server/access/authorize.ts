import { type Clock, minutes, seconds } from '@minifleet/clock';
import { createExpiringCache } from '../expiring-cache.ts';
import { HttpProblem } from '../kubelet-request.ts';
import type { AuthenticatedUser, Reviews } from './reviews.ts';

/** Maps paths to Node permissions; any one of them is sufficient. */

interface AccessRule {
  readonly path: string;
  readonly subresources: readonly string[];
}

// `nodes/proxy` allows exec in every Pod of the Node; the narrow permissions exist so that a scraper does not need it.
const ACCESS_RULES: readonly AccessRule[] = [
  { path: '/stats', subresources: ['stats'] },
  { path: '/metrics', subresources: ['metrics'] },
  { path: '/logs', subresources: ['log'] },
  { path: '/checkpoint', subresources: ['checkpoint'] },
  { path: '/statusz', subresources: ['statusz'] },
  { path: '/flagz', subresources: ['configz'] },
  { path: '/pods', subresources: ['pods', 'proxy'] },
  { path: '/runningpods', subresources: ['pods', 'proxy'] },
  { path: '/healthz', subresources: ['healthz', 'proxy'] },
  { path: '/configz', subresources: ['configz', 'proxy'] },
];

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export const subresourcesOf = (path: string): readonly string[] =>
  ACCESS_RULES.find(rule => path === rule.path || path.startsWith(`${rule.path}/`))?.subresources ?? ['proxy'];

/** Empty for a method outside the API; no permission allows it. */
export const verbOf = (method: string): string => VERBS[method] ?? '';

interface AuthorizeOptions {
  readonly reviews: Pick<Reviews, 'isAllowed'>;
  readonly clock: Clock;
  readonly node: string;
}

const MAX_DECISIONS = 5_000;

/** Throws 403 if the user lacks all permissions of the path, and 500 if the API server is unreachable. */
export function createAuthorize({ reviews, clock, node }: AuthorizeOptions) {
  const decisions = createExpiringCache<boolean>({
    clock,
    lifetime: allowed => (allowed ? minutes(5) : seconds(30)),
    maxEntries: MAX_DECISIONS,
  });

  async function isAllowed(user: AuthenticatedUser, verb: string, subresource: string): Promise<boolean> {
    try {
      return await decisions.get(JSON.stringify([user, verb, subresource]), () =>
        reviews.isAllowed(user, { verb, node, subresource }),
      );
    } catch (cause) {
      const request = `user=${user.username}, verb=${verb}, resource=nodes, subresource=${subresource}`;
      throw new HttpProblem(500, `Authorization error (${request})`, { cause });
    }
  }

  return async (user: AuthenticatedUser, method: string, path: string): Promise<void> => {
    const verb = verbOf(method);
    const subresources = subresourcesOf(path);
    for (const subresource of subresources) if (await isAllowed(user, verb, subresource)) return;
    const request = `user=${user.username}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}]`;
    throw new HttpProblem(403, `Forbidden (${request})\n`);
  };
}
