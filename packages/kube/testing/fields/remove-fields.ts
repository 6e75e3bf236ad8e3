import { fieldSchema, type Schema } from '../schema/schema.ts';
import { copyOf, isObject, type StoredObject } from '../store/json.ts';
import { type FieldPath, type FieldSet, fieldId, fieldPath, isBelow } from './field-set.ts';
import { itemElement } from './fields-of.ts';

interface Removal {
  readonly gone: FieldSet;
  /** Owned by someone still: a container in here stays even when it becomes empty. */
  readonly kept: FieldSet;
  readonly schema: Schema;
}

/** A copy of the object without some fields, and without the containers these leave empty. */
export function removeFields(object: StoredObject, { gone, kept, schema }: Removal): StoredObject {
  const copy = copyOf(object);
  // From the outside in: an item has to be found by its keys before these are gone.
  const outermostFirst = [...gone].map(fieldPath).sort((one, other) => one.length - other.length);
  for (const path of outermostFirst) {
    if (!holds(path, kept)) removeWithEmptyParents(copy, path, { kept, schema });
  }
  return copy;
}

/** Reports whether a field below the path is still owned. */
const holds = (path: FieldPath, kept: FieldSet): boolean => [...kept].some(id => isBelow(id, path));

function removeWithEmptyParents(root: StoredObject, path: FieldPath, { kept, schema }: Omit<Removal, 'gone'>): void {
  removeAt(root, path, schema);
  for (let parent = path.slice(0, -1); parent.length > 1; parent = parent.slice(0, -1)) {
    if (kept.has(fieldId(parent)) || !isEmpty(find(root, parent, schema)?.value)) return;
    removeAt(root, parent, schema);
  }
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

interface FoundItem {
  readonly value: unknown;
  readonly schema: Schema | undefined;
}

function find(root: unknown, path: FieldPath, schema: Schema | undefined): FoundItem | undefined {
  return path.reduce<FoundItem | undefined>((at, element) => (at ? step(at, element) : undefined), {
    value: root,
    schema,
  });
}

function step({ value, schema }: FoundItem, element: string): FoundItem | undefined {
  if (element.startsWith('f:')) {
    const field = element.slice(2);
    return isObject(value) && field in value ? { value: value[field], schema: fieldSchema(schema, field) } : undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const item: unknown = value.find(candidate => itemElement(candidate, schema) === element);
  return item === undefined ? undefined : { value: item, schema: schema?.items };
}

function removeAt(root: unknown, path: FieldPath, schema: Schema): void {
  const parent = find(root, path.slice(0, -1), schema);
  const element = path.at(-1) ?? '';
  if (isObject(parent?.value)) delete parent.value[element.slice(2)];
  if (!Array.isArray(parent?.value)) return;
  const index = parent.value.findIndex(item => itemElement(item, parent.schema) === element);
  if (index >= 0) parent.value.splice(index, 1);
}
