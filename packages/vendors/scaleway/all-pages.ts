import { VENDOR_UNAVAILABLE } from '../errors.ts';
import { SCALEWAY } from './judge-failure.ts';

/** The most the API gives at once. */
const PAGE_SIZE = 100;
/** A list that is never still has somebody at work on it; the next pass finds it quiet. */
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
 * All items of a list. Nothing holds it still between two pages: what is deleted from the first moves an item of the second
 * to where nobody looks any more, and whoever missed a server might take it for gone. So a list of several pages is read
 * until two readings agree; one page is always whole.
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
