import { fieldSchema, type Schema } from '../schema/schema.ts';
import { isObject, type JsonObject, same, without } from '../store/json.ts';

const DIRECTIVE = '$patch';
const DELETE_FROM = '$deleteFromPrimitiveList/';

/** Strategic merge patch: like a merge patch, but lists that have a merge key merge item by item. */
export function strategicPatch(live: unknown, patch: unknown, schema: Schema | undefined): unknown {
  if (!isObject(patch)) return patch;
  if (patch[DIRECTIVE] === 'replace') return without(patch, DIRECTIVE);
  if (patch[DIRECTIVE] === 'delete') return {};
  const merged: JsonObject = isObject(live) ? { ...live } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (field.startsWith(DELETE_FROM)) dropValues(merged, field.slice(DELETE_FROM.length), value);
    else if (field.startsWith('$'))
      continue; // element order and retained keys: hints of kubectl we never send
    else if (value === null) delete merged[field];
    else merged[field] = patchField(merged[field], value, fieldSchema(schema, field));
  }
  return merged;
}

function patchField(live: unknown, value: unknown, schema: Schema | undefined): unknown {
  if (!Array.isArray(value)) return strategicPatch(live, value, schema);
  if (!schema?.['x-kubernetes-patch-strategy']?.includes('merge')) return value;
  const before = Array.isArray(live) ? live : [];
  const key = schema['x-kubernetes-patch-merge-key'];
  if (key === undefined) return [...value, ...before.filter(item => !value.some(sent => same(sent, item)))];
  return mergeItems(before.filter(isObject), value.filter(isObject), { key, items: schema.items });
}

function mergeItems(
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
  { key, items }: { key: string; items: Schema | undefined },
): JsonObject[] {
  const sent = patch.filter(item => item[DIRECTIVE] === undefined);
  if (patch.some(item => item[DIRECTIVE] === 'replace')) return sent;
  const find = (list: readonly JsonObject[], item: JsonObject): JsonObject | undefined =>
    list.find(candidate => same(candidate[key], item[key]));
  const patched = sent.map(item => strategicPatch(find(live, item), item, items) as JsonObject);
  const untouched = live.filter(item => !find(patch, item));
  return interleave(untouched, patched, item => live.findIndex(other => same(other[key], item[key])));
}

/** Patched items come in the order of the patch; each untouched one stays before those it preceded. */
function interleave(untouched: JsonObject[], patched: JsonObject[], rank: (item: JsonObject) => number): JsonObject[] {
  const result = [...patched];
  let from = 0;
  for (const item of untouched) {
    const later = result.findIndex((other, index) => index >= from && rank(other) > rank(item));
    const place = later < 0 ? result.length : later;
    result.splice(place, 0, item);
    from = place + 1;
  }
  return result;
}

function dropValues(object: JsonObject, field: string, values: unknown): void {
  const { [field]: list } = object;
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  object[field] = list.filter(item => !values.some(value => same(value, item)));
}
