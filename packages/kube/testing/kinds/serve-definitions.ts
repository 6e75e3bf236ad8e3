import { customResourceDefinitions } from '../../client/built-in.ts';
import type { Resource } from '../../client/resource.ts';
import { keyOf } from '../../object.ts';
import { type JsonObject, objectIn, type StoredObject } from '../store/json.ts';
import { type ApiState, now } from '../write/api-state.ts';
import { replaceObject } from '../write/replace.ts';
import { customKinds } from './custom-kind.ts';
import { kindId, type Validate } from './served-kind.ts';

/** Returns a function that serves the kinds of the stored definitions. Call it after a change to definitions. */
export function serveDefinitions(state: ApiState, validate: (resource: Resource) => Validate | undefined): () => void {
  const served = new Map<string, { readonly since: number; readonly generation: number | undefined }>();

  function serve(definition: StoredObject): void {
    const id = definedId(definition);
    const before = served.get(id);
    const { generation } = definition.metadata;
    if (before && before.generation === generation) return;
    const since = before?.since ?? state.store.version;
    served.set(id, { since, generation });
    state.kinds.removeAll(id);
    for (const kind of customKinds(definition, { servedSince: since, validate })) state.kinds.add(kind);
    establish(state, definition);
  }

  return () => {
    const definitions = state.store.all(kindId(customResourceDefinitions));
    for (const definition of definitions) serve(definition);
    const wanted = new Set(definitions.map(definedId));
    for (const id of served.keys()) if (!wanted.has(id)) retire(id);
  };

  /** The objects are deleted with their definition, with or without finalizers. */
  function retire(id: string): void {
    for (const object of state.store.all(id)) state.store.remove(id, keyOf(object));
    state.kinds.removeAll(id);
    served.delete(id);
  }
}

function definedId(definition: StoredObject): string {
  const spec = objectIn(definition, 'spec');
  return `${String(spec['group'])}/${String(objectIn(spec, 'names')['plural'])}`;
}

/** Reports in the status that the names are accepted and the kind is served. */
function establish(state: ApiState, definition: StoredObject): void {
  if (isEstablished(definition)) return;
  replaceObject(state, {
    kind: state.kinds.get(customResourceDefinitions),
    current: definition,
    next: { ...definition, status: establishedStatus(state, definition) },
    mode: { manager: 'kube-apiserver', subresource: 'status', dryRun: false, strict: false },
    uidIsPrecondition: true,
  });
}

function isEstablished(definition: StoredObject): boolean {
  const { conditions } = objectIn(definition, 'status');
  return Array.isArray(conditions) && conditions.length > 0;
}

/** Status of a definition whose kind is served. */
export function establishedStatus(state: ApiState, definition: StoredObject): JsonObject {
  const lastTransitionTime = now(state);
  const condition = (type: string, reason: string, message: string): object => ({
    type,
    status: 'True',
    lastTransitionTime,
    reason,
    message,
  });
  return {
    ...objectIn(definition, 'status'),
    acceptedNames: objectIn(objectIn(definition, 'spec'), 'names'),
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
  };
}
