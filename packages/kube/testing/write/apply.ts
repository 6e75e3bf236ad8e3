import { applyConfiguration } from '../fields/apply-configuration.ts';
import { problem } from '../schema/problem.ts';
import { prune } from '../schema/prune.ts';
import { badRequest, conflict, internal, invalid, notFound } from '../server/refusal.ts';
import { copyOf, isObject, type StoredObject, without } from '../store/json.ts';
import { type ApiState, authorOf, keyOfTarget, type Target, type WriteMode } from './api-state.ts';
import { createApplied } from './create.ts';
import { decodeBody } from './decode.ts';
import { replaceObject } from './replace.ts';
import { refuseOtherName, type WrittenObject } from './update.ts';

export interface ApplyRequest {
  readonly body: unknown;
  readonly force: boolean;
  readonly mode: WriteMode;
}

/** PATCH with an apply configuration: creates what is absent, merges into what exists. */
export function applyObject(state: ApiState, target: Target, { body, force, mode }: ApplyRequest): WrittenObject {
  const { kind, name } = target;
  const config = readConfiguration(target, body, mode);
  const current = state.store.find(kind.id, keyOfTarget(target));
  if (!current) refuseCreation(target, config, mode);
  const author = authorOf(state, kind, { ...mode, operation: 'Apply' });
  const applied = applyConfiguration(kind, { ...(current ? { live: current } : {}), config, force }, author);
  if (!current) return { object: createApplied(state, kind, { ...applied, dryRun: mode.dryRun }), created: true };
  const { object: next, managedFields } = applied;
  next.metadata = { ...next.metadata, name };
  const object = replaceObject(state, { kind, current, next, mode, managedFields, uidIsPrecondition: false });
  return { object, created: false };
}

/** The part of the body that the path lets an applier have an opinion on. */
function readConfiguration({ kind, name, namespace }: Target, body: unknown, mode: WriteMode): StoredObject {
  if (!mode.manager) throw refuseOption('fieldManager', 'Required value: is required for apply patch');
  if (!isObject(body) || !body['kind'] || !body['apiVersion']) throw badRequest('invalid object type: /, Kind=');
  const config = decodeBody(kind, copyOf(body), namespace);
  if (config.metadata.managedFields) throw badRequest('metadata.managedFields must be nil');
  refuseOtherName(config, name);
  if (mode.subresource) {
    const { apiVersion, kind: type, metadata, status } = config;
    const { labels: _labels, annotations: _annotations, ...rest } = metadata;
    return {
      apiVersion,
      kind: type,
      metadata: kind.metadataWithStatus ? metadata : rest,
      ...(status ? { status } : {}),
    };
  }
  const [unknown] = kind.custom ? prune(config, kind.schema) : [];
  if (unknown) throw internal(`failed to create typed patch object: .${unknown}: field not declared in schema`);
  return kind.subresources.length > 0 ? (without(config, 'status') as StoredObject) : config;
}

function refuseCreation({ kind, name }: Target, config: StoredObject, mode: WriteMode): void {
  if (mode.subresource) throw notFound(kind.resource, name);
  const { uid } = config.metadata;
  if (!uid) return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(kind.resource, name, why);
}

export const refuseOption = (option: string, message: string): Error =>
  invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
    problem(message.startsWith('Required') ? 'Required' : 'Forbidden', option, message),
  ]);
