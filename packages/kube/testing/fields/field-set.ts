import { isObject, type JsonObject } from '../store/json.ts';

/**
 * A set of fields of an object. A field is a path of elements in the words of FieldsV1: `f:name` a field,
 * `k:{"port":1}` the item of a list with these keys, `v:"a"` a value of a set. Held as text, so that sets compare.
 * The separator is in no element: field names have no control characters, and JSON escapes them.
 */
export type FieldSet = ReadonlySet<string>;
export type FieldPath = readonly string[];

const SEPARATOR = '\0';

export const fieldId = (path: FieldPath): string => path.join(SEPARATOR);
export const fieldPath = (id: string): FieldPath => id.split(SEPARATOR);
/** The id of a field inside another field; the parent of a top-level field is ''. */
export const fieldIn = (parent: string, element: string): string =>
  parent === '' ? element : parent + SEPARATOR + element;

export const isBelow = (id: string, path: FieldPath): boolean => id.startsWith(fieldId(path) + SEPARATOR);

export function encodeFields(fields: FieldSet): JsonObject {
  const root: JsonObject = {};
  const members = [...fields].sort().map(id => nodeAt(root, fieldPath(id)));
  // A dot marks a field that is owned and has owned fields below it. A field without owned fields below it needs no dot.
  for (const member of members) if (Object.keys(member).length > 0) member['.'] = {};
  return root;
}

function nodeAt(root: JsonObject, path: FieldPath): JsonObject {
  return path.reduce<JsonObject>((node, element) => {
    node[element] ??= {};
    return node[element] as JsonObject;
  }, root);
}

export function decodeFields(encoded: unknown): FieldSet {
  const fields = new Set<string>();
  const walk = (node: JsonObject, id: string): void => {
    const children = Object.entries(node).filter(([element]) => element !== '.');
    if (id !== '' && (children.length === 0 || '.' in node)) fields.add(id);
    for (const [element, child] of children) if (isObject(child)) walk(child, fieldIn(id, element));
  };
  if (isObject(encoded)) walk(encoded, '');
  return fields;
}

/** `.spec.ports[port=1].name`: how a conflict names a field. */
export const describeField = (id: string): string =>
  fieldPath(id)
    .map(element => {
      const rest = element.slice(2);
      if (element.startsWith('f:')) return `.${rest}`;
      if (element.startsWith('v:')) return `[=${rest}]`;
      const keys = Object.entries(JSON.parse(rest) as JsonObject);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    })
    .join('');
