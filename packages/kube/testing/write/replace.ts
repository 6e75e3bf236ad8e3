import { namespaces } from '../../client/built-in.ts';
import { keyOf, type Metadata } from '../../object.ts';
import { withManaged } from '../fields/managed-fields.ts';
import { trackUpdate } from '../fields/track-update.ts';
import { kindId, type ServedKind } from '../kinds/served-kind.ts';
import { conflict, invalid, modified } from '../server/refusal.ts';
import { copyOf, type JsonObject, type StoredObject, same, without } from '../store/json.ts';
import { type ApiState, authorOf, type WriteMode } from './api-state.ts';
import { normalise } from './decode.ts';
import { refuseInvalid } from './object-problems.ts';

export interface Replacement {
  readonly kind: ServedKind;
  readonly current: StoredObject;
  readonly next: StoredObject;
  readonly mode: WriteMode;
  /** Field ownership that an apply has computed. The ownership of a plain write is computed here. */
  readonly managedFields?: JsonObject[];
  /** A PUT names the object it means by uid; a patch or apply with another uid tries to change it. */
  readonly uidIsPrecondition: boolean;
}

/** Puts the new state of an object in the place of the current one: the way of every PUT, patch and apply. */
export function replaceObject(state: ApiState, replacement: Replacement): StoredObject {
  const { kind, current, mode } = replacement;
  refuseStale(replacement);
  const isolated = isolate(kind, replacement);
  normalise(kind, isolated);
  const next = mode.subresource ? isolated : withGeneration(kind, current, isolated);
  const author = authorOf(state, kind, { ...mode, operation: 'Update' });
  const managed = replacement.managedFields ?? trackUpdate(kind, { before: current, after: next }, author);
  const written = withManaged(next, managed);
  refuseInvalid(kind, written, current);
  if (same(withoutTimes(written), withoutTimes(current))) return current;
  if (mode.dryRun) return written;
  if (isFinished(kind, written)) {
    state.store.remove(kind.id, keyOf(written));
    return written;
  }
  return state.store.write(kind.id, written);
}

function refuseStale({ kind, current, next, uidIsPrecondition }: Replacement): void {
  const { name } = current.metadata;
  const { uid, resourceVersion } = next.metadata;
  if (uidIsPrecondition && uid && uid !== current.metadata.uid) {
    const why = `UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`;
    throw conflict(kind.resource, name, `StorageError: invalid object, Precondition failed: ${why}`);
  }
  if (!resourceVersion && !kind.unconditionalUpdate) {
    throw invalid({ group: kind.resource.group, kind: kind.resource.plural }, name, [
      {
        reason: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        message: 'Invalid value: 0: must be specified for an update',
      },
    ]);
  }
  if (resourceVersion && resourceVersion !== current.metadata.resourceVersion) throw modified(kind.resource, name);
}

/** Keeps the part of the sent object that this path may write. The other fields, and fields that only the server writes, stay unchanged. */
function isolate(kind: ServedKind, { current, next, mode }: Replacement): StoredObject {
  if (mode.subresource) {
    const { labels, annotations, uid = current.metadata.uid } = copyOf(next.metadata);
    const metadata = kind.metadataWithStatus ? { ...current.metadata, labels, annotations, uid } : current.metadata;
    return defined<StoredObject>({
      ...copyOf(current),
      metadata: defined<Metadata>(metadata),
      status: copyOf(next['status']),
    });
  }
  const copy = copyOf(next);
  if (kind.subresources.length > 0) copy['status'] = copyOf(current['status']);
  const { uid, resourceVersion, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } =
    current.metadata;
  const metadata = defined<Metadata>({
    ...copy.metadata,
    resourceVersion,
    creationTimestamp,
    deletionGracePeriodSeconds,
    generation,
    // These two are judged, not overwritten: who sends others means another object.
    uid: copy.metadata.uid || uid,
    deletionTimestamp: copy.metadata.deletionTimestamp || deletionTimestamp,
  });
  return defined<StoredObject>({ ...copy, metadata });
}

const defined = <T extends object>(object: { [field in keyof T]: T[field] | undefined }): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;

/** The generation counts changes of the desired state, not of metadata or of a status with its own subresource. */
function withGeneration(kind: ServedKind, current: StoredObject, next: StoredObject): StoredObject {
  const { generation } = current.metadata;
  const ignored = ['apiVersion', 'kind', 'metadata', ...(kind.subresources.length > 0 ? ['status'] : [])];
  if (!kind.generation || generation === undefined) return next;
  if (same(without(next, ...ignored), without(current, ...ignored))) return next;
  return { ...next, metadata: { ...next.metadata, generation: generation + 1 } };
}

/** A write that changes nothing is not stored; a newer time of an unchanged manager is nothing. */
const withoutTimes = (object: StoredObject): JsonObject => ({
  ...without(object, 'apiVersion', 'kind'),
  metadata: {
    ...object.metadata,
    managedFields: (object.metadata.managedFields ?? []).map(entry => without(entry as JsonObject, 'time')),
  },
});

/** Deleted before and now free of finalizers and of grace: this write is the last one. */
const isFinished = (kind: ServedKind, { metadata }: StoredObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.finalizers ?? []).length === 0 &&
  (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  kind.id !== kindId(namespaces); // a namespace goes when its contents have gone
