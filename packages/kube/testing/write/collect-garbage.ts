import { type KubeObject, keyOf, type OwnerReference } from '../../object.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import { type StoredObject, same } from '../store/json.ts';
import type { Change } from '../store/store.ts';
import type { ApiState } from './api-state.ts';
import { deleteObject } from './delete.ts';
import { emptyNamespaces } from './empty-namespaces.ts';
import { replaceObject } from './replace.ts';

/** Reports whether a change can leave garbage. Most writes cannot, and a collection visits every object. */
export const needsCollection = ({ type, object, previous }: Change): boolean =>
  type === 'DELETED' ||
  object.metadata.deletionTimestamp !== previous?.metadata.deletionTimestamp ||
  !same(object.metadata.finalizers, previous?.metadata.finalizers) ||
  !same(object.metadata.ownerReferences, previous?.metadata.ownerReferences);

interface Item {
  readonly kind: ServedKind;
  readonly object: StoredObject;
}

/**
 * Does immediately what kube-controller-manager does after a deletion: deletes dependents of deleted objects,
 * processes foreground and orphan finalizers, and empties deleted namespaces. Returns when nothing is left to do.
 */
export function collectGarbage(state: ApiState): void {
  for (let before = -1; before !== state.store.version; ) {
    before = state.store.version;
    for (const item of allItems(state)) collectItem(state, item);
    emptyNamespaces(state);
  }
}

const allItems = (state: ApiState): Item[] =>
  state.kinds.distinct().flatMap(kind => state.store.all(kind.id).map(object => ({ kind, object })));

function collectItem(state: ApiState, { kind, object }: Item): void {
  const current = state.store.find(kind.id, keyOf(object));
  if (!current || current.metadata.uid !== object.metadata.uid) return;
  if (current.metadata.deletionTimestamp) finishPropagation(state, { kind, object: current });
  else judgeOwners(state, { kind, object: current });
}

type OwnerState = 'solid' | 'gone' | 'waiting';

function judgeOwners(state: ApiState, item: Item): void {
  const owners = item.object.metadata.ownerReferences ?? [];
  if (owners.length === 0) return;
  const states = owners.map(owner => ownerState(state, item.object, owner));
  const solid = owners.filter((_, index) => states[index] === 'solid');
  if (solid.length === owners.length) return;
  if (solid.length > 0) {
    writeOwners(state, item, solid);
    return;
  }
  const blocking = states.includes('waiting') && dependentsOf(state, item.object).some(isBlocking(item.object));
  const propagationPolicy = blocking ? 'Foreground' : 'Background';
  deleteObject(state, { kind: item.kind, ...keyOf(item.object) }, { propagationPolicy });
}

function ownerState(state: ApiState, object: StoredObject, owner: OwnerReference): OwnerState {
  const kind = state.kinds.findByType(owner);
  if (!kind) return 'solid'; // kinds that are not served are left unchanged
  const { namespace } = object.metadata;
  const key =
    kind.resource.scope === 'Namespaced' && namespace ? { namespace, name: owner.name } : { name: owner.name };
  const found = state.store.find(kind.id, key);
  if (found?.metadata.uid !== owner.uid) return 'gone';
  const waiting = found.metadata.deletionTimestamp && found.metadata.finalizers?.includes('foregroundDeletion');
  return waiting ? 'waiting' : 'solid';
}

function finishPropagation(state: ApiState, item: Item): void {
  const { finalizers = [] } = item.object.metadata;
  if (finalizers.includes('orphan')) {
    for (const dependent of dependentsOf(state, item.object)) {
      const left = dependent.object.metadata.ownerReferences?.filter(owner => owner.uid !== item.object.metadata.uid);
      writeOwners(state, dependent, left ?? []);
    }
    dropFinalizer(state, item, 'orphan');
  } else if (
    finalizers.includes('foregroundDeletion') &&
    !dependentsOf(state, item.object).some(isBlocking(item.object))
  ) {
    dropFinalizer(state, item, 'foregroundDeletion');
  }
}

const dependentsOf = (state: ApiState, owner: KubeObject): Item[] =>
  allItems(state).filter(({ object }) =>
    object.metadata.ownerReferences?.some(reference => reference.uid === owner.metadata.uid),
  );

const isBlocking =
  (owner: KubeObject) =>
  ({ object }: Item): boolean =>
    object.metadata.ownerReferences?.some(
      reference => reference.uid === owner.metadata.uid && reference.blockOwnerDeletion === true,
    ) ?? false;

function writeOwners(state: ApiState, item: Item, ownerReferences: OwnerReference[]): void {
  const { ownerReferences: _, ...metadata } = item.object.metadata;
  const next = { ...item.object, metadata: ownerReferences.length > 0 ? { ...metadata, ownerReferences } : metadata };
  write(state, item, next);
}

function dropFinalizer(state: ApiState, item: Item, name: string): void {
  const finalizers = item.object.metadata.finalizers?.filter(finalizer => finalizer !== name) ?? [];
  write(state, item, { ...item.object, metadata: { ...item.object.metadata, finalizers } });
}

function write(state: ApiState, { kind, object }: Item, next: StoredObject): void {
  const mode = { manager: 'kube-controller-manager', dryRun: false, strict: false };
  replaceObject(state, { kind, current: object, next, mode, uidIsPrecondition: true });
}
