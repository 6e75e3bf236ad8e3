import { namespaces } from '../../client/built-in.ts';
import { keyOf } from '../../object.ts';
import { kindId } from '../kinds/served-kind.ts';
import type { ApiState } from './api-state.ts';
import { deleteObject } from './delete.ts';

/** Deletes what is in a deleted namespace, and the namespace once nothing is. */
export function emptyNamespaces(state: ApiState): void {
  for (const namespace of state.store.all(kindId(namespaces))) {
    if (namespace.metadata.deletionTimestamp) emptyNamespace(state, namespace.metadata.name);
  }
}

function emptyNamespace(state: ApiState, name: string): void {
  const contents = (): { kind: ReturnType<ApiState['kinds']['distinct']>[number]; name: string }[] =>
    state.kinds.distinct().flatMap(kind =>
      state.store
        .all(kind.id)
        .filter(object => object.metadata.namespace === name)
        .map(object => ({ kind, name: object.metadata.name })),
    );
  for (const { kind, name: inside } of contents()) {
    const object = state.store.find(kind.id, { namespace: name, name: inside });
    if (object && !object.metadata.deletionTimestamp) deleteObject(state, { kind, ...keyOf(object) }, {});
  }
  if (contents().length === 0) state.store.remove(kindId(namespaces), { name });
}
