import type { GetRequest } from './get-command.ts';
import type { ListedObjects, ListingRow, ResourceListing } from './listing.ts';

/** Selects rows and sorts them by namespace and name. `-n` and `-l` select machines, so hosts without a machine are omitted. */
export function selectRows(
  listing: ResourceListing,
  objects: ListedObjects,
  request: GetRequest & { readonly now: number },
): ListingRow[] {
  const { name, namespace, selector, now } = request;
  const narrowed = namespace !== undefined || selector !== undefined;
  const [first] = listing.sources;
  const chosen = new Set<unknown>(objects[first]);
  return listing
    .lines(objects, now)
    .filter(({ object, selectedBy = object }) => !narrowed || chosen.has(selectedBy))
    .filter(line => name === undefined || isCalled(line, name))
    .toSorted(inOrder);
}

/** Sorts by namespace and name, mac-2 before mac-10, rows without a namespace last. */
function inOrder({ cells: a }: ListingRow, { cells: b }: ListingRow): number {
  const [one = '', other = ''] = [a['NAMESPACE'], b['NAMESPACE']];
  const placed = Number(one === '') - Number(other === '');
  return placed || byName(one, other) || byName(a['NAME'] ?? '', b['NAME'] ?? '');
}

/** Compares code units, because names are ASCII and a collator takes longer to create than the rest of the table. */
function byName(a: string, b: string): number {
  const [left, right] = [spelledOut(a), spelledOut(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Pads numbers, so that they compare like text. */
const spelledOut = (name: string): string => name.replaceAll(/\d+/g, digits => digits.padStart(20, '0'));

/** A host matches by its own name, or by that of its machine, Cluster API Machine or Node. */
const isCalled = ({ object, names = [] }: ListingRow, name: string): boolean =>
  object.metadata.name === name || names.includes(name);
