import type { ServedKind } from '../kinds/served-kind.ts';
import type { JsonObject, StoredObject } from '../store/json.ts';
import { fieldPath } from './field-set.ts';
import { type Difference, differenceOf, type FieldValues, fieldsOf } from './fields-of.ts';
import { encodeManaged, type Manager, minus, readManaged, sameManager } from './managed-fields.ts';

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
  const others = entries
    .filter(entry => entry !== own)
    .map(entry => ({ ...entry, fields: minus(entry.fields, changed, removed) }));
  const fields = minus(new Set([...(own?.fields ?? []), ...changed]), removed);
  return encodeManaged([...others, { manager, time, fields }]);
}

function writtenDifference(
  kind: ServedKind,
  { before, after, manager }: { before: StoredObject | undefined; after: StoredObject; manager: Manager },
): Difference {
  const options = { containers: true, skipRoots: !kind.custom };
  const read = (object: StoredObject | undefined): FieldValues =>
    ownable(kind, manager, object ? fieldsOf(object, kind.schema, options) : new Map());
  return differenceOf(read(before), read(after));
}

/** The fields a writer can own: the status belongs to writers of the status, if there is a way to write only it. */
export function ownable(kind: ServedKind, { subresource }: Manager, values: FieldValues): FieldValues {
  if (kind.subresources.length === 0) return values;
  return new Map(
    [...values].filter(([id]) => {
      const root = fieldPath(id)[0];
      if (!subresource) return root !== 'f:status';
      return root === 'f:status' || (root === 'f:metadata' && kind.metadataWithStatus);
    }),
  );
}
