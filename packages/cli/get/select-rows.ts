import { hostOf, ownerOf, type ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
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
    .filter(({ object }) => !narrowed || chosen.has(object))
    .filter(line => name === undefined || isCalled(line, name))
    .toSorted(inOrder);
}

/** Sorts by namespace and name, mac-2 before mac-10, cluster-scoped objects last. */
function inOrder({ object: { metadata: a } }: ListingRow, { object: { metadata: b } }: ListingRow): number {
  const placed = Number(a.namespace === undefined) - Number(b.namespace === undefined);
  return placed || byName(a.namespace ?? '', b.namespace ?? '') || byName(a.name, b.name);
}

/** Compares code units, because names are ASCII and a collator takes longer to create than the rest of the table. */
function byName(a: string, b: string): number {
  const [left, right] = [spelledOut(a), spelledOut(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Pads numbers, so that they compare like text. */
const spelledOut = (name: string): string => name.replaceAll(/\d+/g, digits => digits.padStart(20, '0'));

/** A host matches by the name of its machine, Cluster API Machine or Node, or by its server id. */
function isCalled({ object, cells }: ListingRow, name: string): boolean {
  if (object.metadata.name === name) return true;
  if (object.kind !== 'ScalewayAppleSiliconMachine') return false;
  const machine = object as ScalewayAppleSiliconMachine;
  return [ownerOf(machine)?.name, hostOf(machine), cells['NODE']].includes(name);
}
