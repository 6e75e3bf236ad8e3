import { VENDOR_UNAVAILABLE } from '../errors.ts';
import { SCALEWAY } from './judge-failure.ts';

/** Maximum page size of the API. */
const PAGE_SIZE = 100;
/** Gives up on a list that keeps changing; the next reconcile reads it again. */
const READINGS = 4;

export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
}

/**
 * Returns all items of a list. The list can change between two pages: a deletion on the first page moves an item of the second
 * page to the first, which was already read, and the missed server would count as deleted. So a list of several pages is read
 * until two reads agree; a single page is always complete.
 */
export async function allPages<T extends { readonly id: string }>(
  call: string,
  read: ReadPage<T>,
): Promise<readonly T[]> {
  let before: string | undefined;
  for (let reading = 0; reading < READINGS; reading++) {
    const { items, pages } = await readThrough(read);
    const ids = items.map(({ id }) => id).join(' ');
    if (pages === 1 || ids === before) return items;
    before = ids;
  }
  throw VENDOR_UNAVAILABLE({ vendor: SCALEWAY, call, why: 'the list changed during every read' });
}

type ReadPage<T> = (request: PageRequest) => Promise<Page<T>>;

async function readThrough<T>(read: ReadPage<T>): Promise<{ readonly items: readonly T[]; readonly pages: number }> {
  const found: T[] = [];
  for (let page = 1; ; page++) {
    const { items, totalCount } = await read({ page, pageSize: PAGE_SIZE });
    found.push(...items);
    if (found.length >= totalCount || items.length === 0) return { items: found, pages: page };
  }
}
