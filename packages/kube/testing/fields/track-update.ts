import type { ServedKind } from '../kinds/served-kind.ts';
import { type JsonObject, type StoredObject, same } from '../store/json.ts';
import { type Difference, differenceOf, type FieldValues, fieldsOf } from './fields-of.ts';
import { encodeManaged, entryWithout, type Manager, minus, readManaged, sameManager } from './managed-fields.ts';

export interface Author {
  readonly manager: Manager;
  readonly time: string;
}

/** Field ownership after a plain write: the writer owns the fields that it changed, and removed fields have no owner. */
export function trackUpdate(
  kind: ServedKind,
  { before, after }: { readonly before?: StoredObject; readonly after: StoredObject },
  { manager, time }: Author,
): JsonObject[] {
  const { changed, removed } = writtenDifference(kind, { before, after, manager });
  if (changed.size === 0 && removed.size === 0) return (before?.metadata.managedFields ?? []) as JsonObject[];
  const entries = readManaged(before);
  const own = entries.find(entry => sameManager(entry.manager, manager));
  const others = entries.filter(entry => entry !== own).map(entry => entryWithout(entry, changed, removed));
  const fields = minus(new Set([...(own?.fields ?? []), ...changed]), removed);
  return encodeManaged([...others, { manager, time, fields }]);
}

function writtenDifference(
  kind: ServedKind,
  { before, after, manager }: { before: StoredObject | undefined; after: StoredObject; manager: Manager },
): Difference {
  const ownable = ownableRoots(kind, manager);
  // Most writes leave most top-level fields unchanged, and a comparison costs less than a list of the fields inside.
  const roots = (field: string): boolean => ownable(field) && !same(before?.[field], after[field]);
  const options = { containers: true, skipRoots: !kind.custom, roots };
  const read = (object: StoredObject | undefined): FieldValues =>
    object ? fieldsOf(object, kind.schema, options) : new Map();
  return differenceOf(read(before), read(after));
}

/** Selects the fields that a writer can own: only writers of the status own it, if there is a way to write only it. */
export function ownableRoots(kind: ServedKind, { subresource }: Manager): (field: string) => boolean {
  if (kind.subresources.length === 0) return () => true;
  if (!subresource) return field => field !== 'status';
  return field => field === 'status' || (field === 'metadata' && kind.metadataWithStatus);
}
