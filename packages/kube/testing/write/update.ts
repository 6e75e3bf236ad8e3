import { badRequest, notFound } from '../server/refusal.ts';
import { copyOf, type StoredObject } from '../store/json.ts';
import { type ApiState, keyOfTarget, type Target, type WriteMode } from './api-state.ts';
import { createObject } from './create.ts';
import { decodeBody, normalise, strictRefusal } from './decode.ts';
import { replaceObject } from './replace.ts';

export interface WrittenObject {
  readonly object: StoredObject;
  readonly created: boolean;
}

/** PUT: the whole object, or the whole status. */
export function updateObject(
  state: ApiState,
  target: Target,
  { body, mode }: { body: unknown; mode: WriteMode },
): WrittenObject {
  const { kind, name, namespace } = target;
  const sent = decodeBody(kind, body, namespace);
  refuseOtherName(sent, name);
  const current = state.store.find(kind.id, keyOfTarget(target));
  if (!current) {
    if (!kind.createOnUpdate || mode.subresource) throw notFound(kind.resource, name);
    return { object: createObject(state, kind, sent, mode), created: true };
  }
  const next = copyOf(sent);
  const unknown = normalise(kind, next);
  if (unknown && mode.strict) throw strictRefusal(kind, unknown);
  return { object: replaceObject(state, { kind, current, next, mode, uidIsPrecondition: true }), created: false };
}

export function refuseOtherName(sent: StoredObject, name: string): void {
  if (!sent.metadata.name) sent.metadata.name = name;
  if (sent.metadata.name === name) return;
  throw badRequest(`the name of the object (${sent.metadata.name}) does not match the name on the URL (${name})`);
}
