import { type Clock, minutes, seconds } from '@minifleet/clock';
import { createExpiringCache } from '../expiring-cache.ts';
import { HttpProblem } from '../http-problem.ts';
import type { Reviews } from './reviews.ts';
import { subresourcesOf, verbOf } from './subresources.ts';
import type { User } from './user.ts';

export interface AuthorizeOptions {
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
