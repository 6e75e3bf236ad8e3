import { type Clock, minutes, seconds } from '@minifleet/clock';
import { createExpiringCache } from '../expiring-cache.ts';
import { HttpProblem } from '../kubelet-request.ts';
import type { Reviews, User } from './reviews.ts';

/** Which rights on the Node a path asks for: any one of them is enough. */

interface Rule {
  readonly path: string;
  readonly subresources: readonly string[];
}

// `nodes/proxy` allows exec in every Pod of the Node; the narrow rights are there so that a scraper need not hold it.
const RULES: readonly Rule[] = [
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
  RULES.find(rule => path === rule.path || path.startsWith(`${rule.path}/`))?.subresources ?? ['proxy'];

/** Empty for a method that is none of the API's: no right ever allows it. */
export const verbOf = (method: string): string => VERBS[method] ?? '';

interface AuthorizeOptions {
  readonly reviews: Pick<Reviews, 'allowed'>;
  readonly clock: Clock;
  readonly node: string;
}

const MOST_ANSWERS = 5_000;

/** Throws 403 unless the user holds one of the rights of the path, and 500 when the API server cannot be asked. */
export function createAuthorize({ reviews, clock, node }: AuthorizeOptions) {
  const answers = createExpiringCache<boolean>({
    clock,
    lifetime: allowed => (allowed ? minutes(5) : seconds(30)),
    most: MOST_ANSWERS,
  });

  async function mayOne(user: User, verb: string, subresource: string): Promise<boolean> {
    try {
      return await answers.get(JSON.stringify([user, verb, subresource]), () =>
        reviews.allowed(user, { verb, node, subresource }),
      );
    } catch (cause) {
      const asked = `user=${user.username}, verb=${verb}, resource=nodes, subresource=${subresource}`;
      throw new HttpProblem(500, `Authorization error (${asked})`, { cause });
    }
  }

  return async (user: User, method: string, path: string): Promise<void> => {
    const verb = verbOf(method);
    const subresources = subresourcesOf(path);
    for (const subresource of subresources) if (await mayOne(user, verb, subresource)) return;
    const asked = `user=${user.username}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}]`;
    throw new HttpProblem(403, `Forbidden (${asked})\n`);
  };
}
