import { namespaces } from '../../client/built-in.ts';
import { keyOf, type Metadata } from '../../object.ts';
import { withManaged } from '../fields/managed-fields.ts';
import { trackUpdate } from '../fields/track-update.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import { kindId } from '../kinds/served-kind.ts';
import { alreadyExists, forbidden, internal, notFound } from '../server/refusal.ts';
import { copyOf, type JsonObject, type StoredObject, without } from '../store/json.ts';
import { type ApiState, authorOf, now, type WriteMode } from './api-state.ts';
import { normalise, strictRefusal } from './decode.ts';
import { refuseInvalid } from './object-problems.ts';
import { randomSuffix, randomUid } from './random-name.ts';

/** POST: completes, judges and stores a new object. */
export function createObject(state: ApiState, kind: ServedKind, sent: StoredObject, mode: WriteMode): StoredObject {
  const object = copyOf(sent);
  const unknown = normalise(kind, object);
  if (unknown && mode.strict) throw strictRefusal(kind, unknown);
  const created = prepareNew(state, kind, object);
  const managed = trackUpdate(kind, { after: created }, authorOf(state, kind, { ...mode, operation: 'Update' }));
  if (sent.metadata.resourceVersion) throw internal('resourceVersion should not be set on objects to be created');
  return insert({ state, kind }, withManaged(created, managed), mode.dryRun);
}

/** Stores an object an apply has put together: its managers are known already. */
export function createApplied(
  state: ApiState,
  kind: ServedKind,
  { object, managedFields, dryRun }: { object: StoredObject; managedFields: JsonObject[]; dryRun: boolean },
): StoredObject {
  const copy = copyOf(object);
  normalise(kind, copy);
  return insert({ state, kind }, withManaged(prepareNew(state, kind, copy), managedFields), dryRun);
}

function insert(
  { state, kind }: { state: ApiState; kind: ServedKind },
  object: StoredObject,
  dryRun: boolean,
): StoredObject {
  refuseInvalid(kind, object);
  refuseNamespace(state, kind, object);
  if (state.store.find(kind.id, keyOf(object))) throw alreadyExists(kind.resource, object.metadata.name);
  return dryRun ? object : state.store.write(kind.id, object);
}

const serverOwned = [
  'resourceVersion',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
];

/** Gives the object what only the server gives, and takes away what only the server may. */
export function prepareNew(state: ApiState, kind: ServedKind, object: StoredObject): StoredObject {
  const rest = without({ ...object.metadata }, ...serverOwned) as unknown as Metadata;
  const name = rest.name || (rest.generateName ? rest.generateName + randomSuffix(state.random) : '');
  const created: StoredObject = {
    ...object,
    metadata: {
      ...rest,
      name,
      uid: randomUid(state.random),
      creationTimestamp: now(state),
      ...(kind.generation ? { generation: 1 } : {}),
    },
  };
  if (kind.custom && kind.subresources.includes('status')) delete created['status'];
  kind.prepareNew?.(created);
  return created;
}

function refuseNamespace(state: ApiState, kind: ServedKind, object: StoredObject): void {
  const { namespace, name } = object.metadata;
  if (kind.resource.scope === 'Cluster' || namespace === undefined) return;
  const found = state.store.find(kindId(namespaces), { name: namespace });
  if (!found) throw notFound(namespaces, namespace);
  if (!found.metadata.deletionTimestamp) return;
  throw forbidden(kind.resource, name, {
    message: `unable to create new content in namespace ${namespace} because it is being terminated`,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}
