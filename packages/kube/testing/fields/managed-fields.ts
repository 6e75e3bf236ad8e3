import { isObject, type JsonObject, type StoredObject, same } from '../store/json.ts';
import { decodeFields, encodeFields, type FieldSet } from './field-set.ts';

/** Writer of fields and its operation. Each combination is a separate manager. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface ManagedEntry {
  readonly manager: Manager;
  readonly time: string;
  readonly fields: FieldSet;
  /** The fields as the object has them. A write changes the fields of one or two managers, and encodes only these again. */
  readonly encoded?: JsonObject;
}

export function readManaged(object: StoredObject | undefined): ManagedEntry[] {
  return (object?.metadata.managedFields ?? []).filter(isObject).map(entry => {
    const { manager, operation, apiVersion, subresource, time, fieldsV1 } = entry as unknown as EncodedEntry;
    return {
      manager: { manager, operation, apiVersion, ...(subresource ? { subresource } : {}) },
      time,
      fields: decodeFields(fieldsV1),
      encoded: fieldsV1,
    };
  });
}

interface EncodedEntry extends Manager {
  readonly time: string;
  readonly fieldsV1: JsonObject;
}

/** Entries as metadata holds them: without managers that own nothing, applied ones first, then by age. */
export const encodeManaged = (entries: readonly ManagedEntry[]): JsonObject[] =>
  entries
    .filter(entry => entry.fields.size > 0)
    .sort((one, other) => (order(one) < order(other) ? -1 : 1))
    .map(({ manager, time, fields, encoded = encodeFields(fields) }) => ({
      ...manager,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: encoded,
    }));

const order = ({ manager, time }: ManagedEntry): string => `${manager.operation} ${time} ${manager.manager}`;

export const sameManager = (one: Manager, other: Manager): boolean => same({ ...one }, { ...other });

/** Metadata with these managers; without any, the field is absent. */
export function withManaged(object: StoredObject, managedFields: readonly JsonObject[]): StoredObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: managedFields.length > 0 ? { ...metadata, managedFields: [...managedFields] } : metadata,
  };
}

export const minus = (fields: FieldSet, ...taken: readonly FieldSet[]): FieldSet =>
  new Set([...fields].filter(id => !taken.some(set => set.has(id))));

/** The entry without some fields. */
export function entryWithout(entry: ManagedEntry, ...taken: readonly FieldSet[]): ManagedEntry {
  const fields = minus(entry.fields, ...taken);
  return fields.size === entry.fields.size ? entry : { manager: entry.manager, time: entry.time, fields };
}
