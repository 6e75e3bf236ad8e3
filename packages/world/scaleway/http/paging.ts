import { invalidArgument } from './api-error.ts';

/** Both read the same query everywhere: `page` from 1, `page_size` at most 100 (SDK documentation). */
export const pagingParameters = ['page', 'page_size'] as const;

const MOST = 100;
/** What a list without `page_size` gets is derived: no recording had that many servers. */
const UNLESS_SAID = 50;

export interface Page<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
}

/** A page past the end is empty, not an error. Nothing holds the list still between two pages. */
export function pageOf<T>(items: readonly T[], query: URLSearchParams): Page<T> {
  const page = whole(query, 'page', 1, Number.MAX_SAFE_INTEGER);
  const size = whole(query, 'page_size', UNLESS_SAID, MOST);
  return { items: items.slice((page - 1) * size, page * size), totalCount: items.length };
}

function whole(query: URLSearchParams, name: string, unlessSaid: number, most: number): number {
  const given = query.get(name);
  if (given === null || given === '') return unlessSaid;
  if (!/^-?\d+$/.test(given)) throw invalidArgument(name, 'format');
  const value = Number(given);
  if (value < 1 || value > most) throw invalidArgument(name, 'constraint', `must be between 1 and ${most}`);
  return value;
}

/** Sorts by `order_by`; ascending creation unless said. Equal times keep the order of creation. */
export function ordered<T>(
  items: readonly T[],
  query: URLSearchParams,
  orders: Readonly<Record<string, (item: T) => number | string>>,
): readonly T[] {
  const wanted = query.get('order_by') || 'created_at_asc';
  const [, field = '', direction] = /^(.+)_(asc|desc)$/.exec(wanted) ?? [];
  const value = Object.hasOwn(orders, field) ? orders[field] : undefined;
  if (!value) throw invalidArgument('order_by', 'constraint', `unknown order ${wanted}`);
  const sign = direction === 'desc' ? -1 : 1;
  return items.toSorted((one, other) => sign * compare(value(one), value(other)));
}

function compare(one: number | string, other: number | string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
