import type { JsonPatchOperation } from '../../client/client.ts';
import { badRequest, Refusal } from '../server/refusal.ts';
import { copyOf, isObject, same } from '../store/json.ts';

/** RFC 6902 as in the real server: any operation that does not apply is the same 422, and `replace` may add a field. */
export function jsonPatch(live: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw badRequest('error decoding patch: the body is not a list of operations');
  const root = { document: copyOf(live) };
  for (const operation of operations as JsonPatchOperation[]) perform(root, operation);
  return root.document;
}

const rejected = (): Refusal =>
  new Refusal({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });

function perform(root: { document: unknown }, operation: JsonPatchOperation): void {
  switch (operation.op) {
    case 'add':
    case 'replace':
      put(root, operation.path, { value: copyOf(operation.value), replace: operation.op === 'replace' });
      return;
    case 'remove':
      take(root, operation.path);
      return;
    case 'move':
      put(root, operation.path, { value: take(root, operation.from ?? ''), replace: false });
      return;
    case 'copy':
      put(root, operation.path, { value: copyOf(read(root, operation.from ?? '')), replace: false });
      return;
    case 'test':
      if (!same(read(root, operation.path) ?? null, operation.value ?? null)) throw rejected();
      return;
    default:
      throw rejected();
  }
}

const segments = (pointer: string): string[] =>
  ['document', ...pointer.split('/').slice(1)].map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));

function read(root: object, pointer: string): unknown {
  return segments(pointer).reduce<unknown>((value, segment) => {
    if (Array.isArray(value)) return value[indexIn(value, segment, value.length - 1)];
    if (!isObject(value) || !(segment in value)) throw rejected();
    return value[segment];
  }, root);
}

function put(root: object, pointer: string, { value, replace }: { value: unknown; replace: boolean }): void {
  const { parent, last } = locate(root, pointer);
  if (isObject(parent)) parent[last] = value;
  else if (replace) parent[indexIn(parent, last, parent.length - 1)] = value;
  else parent.splice(last === '-' ? parent.length : indexIn(parent, last, parent.length), 0, value);
}

function take(root: object, pointer: string): unknown {
  const { parent, last } = locate(root, pointer);
  if (Array.isArray(parent)) return parent.splice(indexIn(parent, last, parent.length - 1), 1)[0];
  if (!(last in parent)) throw rejected();
  const value = parent[last];
  delete parent[last];
  return value;
}

function locate(root: object, pointer: string): { parent: Record<string, unknown> | unknown[]; last: string } {
  const path = segments(pointer);
  const last = path.pop() ?? '';
  const parent = path.reduce<unknown>((value, segment) => {
    if (Array.isArray(value)) return value[indexIn(value, segment, value.length - 1)];
    return isObject(value) ? value[segment] : undefined;
  }, root);
  if (!isObject(parent) && !Array.isArray(parent)) throw rejected();
  return { parent, last };
}

function indexIn(list: unknown[], segment: string, most: number): number {
  const index = /^-?\d+$/.test(segment) ? Number(segment) : Number.NaN;
  const resolved = index < 0 ? list.length + index : index;
  if (!(resolved >= 0 && resolved <= most)) throw rejected();
  return resolved;
}
