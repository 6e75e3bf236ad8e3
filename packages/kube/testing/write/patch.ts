import type { ServedKind } from '../kinds/served-kind.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { strategicPatch } from '../patch/strategic-patch.ts';
import { badRequest, invalid, notFound, unsupportedMediaType } from '../server/refusal.ts';
import { copyOf, isObject, type StoredObject } from '../store/json.ts';
import { type ApiState, keyOfTarget, type Target, type WriteMode } from './api-state.ts';
import { normalise } from './decode.ts';
import { replaceObject } from './replace.ts';
import { refuseOtherName } from './update.ts';

export const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

export interface PatchRequest {
  readonly body: unknown;
  readonly contentType: string;
  readonly mode: WriteMode;
}

/** PATCH in the three forms that change an existing object; apply is another thing and has its own file. */
export function patchObject(state: ApiState, target: Target, { body, contentType, mode }: PatchRequest): StoredObject {
  const { kind, name } = target;
  refusePatchType(kind, contentType);
  const current = state.store.find(kind.id, keyOfTarget(target));
  if (!current) throw notFound(kind.resource, name);
  const next = patched(kind, current, { body, contentType });
  refuseOtherName(next, name);
  const unknown = normalise(kind, next);
  if (unknown && mode.strict) {
    const message = `Invalid value: ${JSON.stringify(JSON.stringify(body))}: ${unknown}`;
    throw invalid({ group: '', kind: '' }, '', [{ reason: 'FieldValueInvalid', field: 'patch', message }]);
  }
  return replaceObject(state, { kind, current, next, mode, uidIsPrecondition: false });
}

export function refusePatchType(kind: ServedKind, contentType: string): void {
  const accepted = [JSON_PATCH, MERGE, ...(kind.custom ? [] : [STRATEGIC]), APPLY];
  if (!accepted.includes(contentType)) throw unsupportedMediaType(accepted);
}

function patched(
  kind: ServedKind,
  current: StoredObject,
  { body, contentType }: Omit<PatchRequest, 'mode'>,
): StoredObject {
  if (contentType === JSON_PATCH) return jsonPatch(current, body) as StoredObject;
  if (!isObject(body)) throw badRequest('error decoding patch: the body is not an object');
  const merged = contentType === MERGE ? mergePatch(current, body) : strategicPatch(current, body, kind.schema);
  return copyOf(merged) as StoredObject;
}
