import { namespaces } from '../../client/built-in.ts';
import type { DeleteOptions } from '../../client/client.ts';
import { keyOf } from '../../object.ts';
import { kindId, type ServedKind } from '../kinds/served-kind.ts';
import { problem } from '../schema/problem.ts';
import { invalid, notFound, Refusal } from '../server/refusal.ts';
import { type StoredObject, same } from '../store/json.ts';
import { type ApiState, keyOfTarget, type Target } from './api-state.ts';
import { graceOf, withDeletion } from './grace.ts';

export interface Deletion extends Omit<DeleteOptions, 'signal'> {
  readonly dryRun?: boolean;
}

export interface Deleted {
  readonly object: StoredObject;
  /** False when the object stays for now, for its finalizers or its grace period. */
  readonly gone: boolean;
}

/** DELETE: removes the object, or marks it and lets finalizers and grace hold it. */
export function deleteObject(state: ApiState, target: Target, deletion: Deletion): Deleted {
  const { kind, name } = target;
  refusePolicy(deletion);
  const current = state.store.find(kind.id, keyOfTarget(target));
  if (!current) throw notFound(kind.resource, name);
  refusePreconditions(kind, current, deletion);
  const finalizers = finalizersFor(current, deletion);
  const grace = graceOf(kind, current, deletion.gracePeriodSeconds);
  const held = grace > 0 || finalizers.length > 0 || kind.id === kindId(namespaces);
  if (deletion.dryRun) return { object: current, gone: !held };
  const marked = withDeletion(kind, { ...current, metadata: withFinalizers(current, finalizers) }, { state, grace });
  if (held) return { object: store(state, kind, current, marked), gone: false };
  // A Pod is first marked and then removed, in two writes: its watchers see both.
  if (kind.graceful) store(state, kind, current, marked);
  return { object: state.store.remove(kind.id, keyOf(current)) ?? current, gone: true };
}

const store = (state: ApiState, kind: ServedKind, current: StoredObject, marked: StoredObject): StoredObject =>
  same(current, marked) ? current : state.store.write(kind.id, marked);

/** The propagation policy becomes a finalizer, which the garbage collector works off. */
function finalizersFor(current: StoredObject, { propagationPolicy }: Deletion): string[] {
  const existing = current.metadata.finalizers ?? [];
  if (propagationPolicy === undefined) return existing;
  const others = existing.filter(name => name !== 'orphan' && name !== 'foregroundDeletion');
  if (propagationPolicy === 'Orphan') return [...others, 'orphan'];
  return propagationPolicy === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

function withFinalizers({ metadata }: StoredObject, finalizers: string[]): StoredObject['metadata'] {
  const { finalizers: _, ...rest } = metadata;
  return finalizers.length > 0 ? { ...rest, finalizers } : rest;
}

function refusePolicy({ propagationPolicy }: Deletion): void {
  const known = ['Foreground', 'Background', 'Orphan'];
  if (propagationPolicy === undefined || known.includes(propagationPolicy)) return;
  const supported = [...known, 'nil'].map(policy => `"${policy}"`).join(', ');
  throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
    problem(
      'NotSupported',
      'propagationPolicy',
      `Unsupported value: ${JSON.stringify(propagationPolicy)}: supported values: ${supported}`,
    ),
  ]);
}

function refusePreconditions({ resource }: ServedKind, { metadata }: StoredObject, { preconditions }: Deletion): void {
  const { uid, resourceVersion } = preconditions ?? {};
  const refuse = (field: string, asked: string, found: string | undefined, then: string): Refusal => {
    const kind = resource.group ? `${resource.kind}.${resource.group}` : resource.kind;
    const why = `the ${field} in the precondition (${asked}) does not match the ${field} in record (${found}). ${then}`;
    return new Refusal({
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ${kind} "${metadata.name}": ${why}`,
      details: { name: metadata.name, ...(resource.group ? { group: resource.group } : {}), kind: resource.kind },
    });
  };
  if (uid !== undefined && uid !== metadata.uid) {
    throw refuse('UID', uid, metadata.uid, 'The object might have been deleted and then recreated');
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw refuse('ResourceVersion', resourceVersion, metadata.resourceVersion, 'The object might have been modified');
  }
}
