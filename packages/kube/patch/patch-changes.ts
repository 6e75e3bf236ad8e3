import { ApiError } from '../client/api-error.ts';
import type { Client } from '../client/client.ts';
import type { Resource } from '../client/resource.ts';
import { retryOnConflict } from '../client/safe-writes.ts';
import { defined } from '../defined.ts';
import { describeObject, type KubeObject, keyOf } from '../object.ts';
import { type Condition, mergeConditions } from './conditions.ts';
import { mergeDiff } from './merge-diff.ts';

type WithStatus = KubeObject & { status?: { conditions?: Condition[] } };

interface PatchTarget<T extends KubeObject> {
  readonly client: Client;
  readonly resource: Resource<T>;
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
}

/**
 * Sends what changed between two states of an object: nothing when nothing did, one patch for spec and metadata, one
 * for status. Fields we did not change are not in the patch, and of the conditions only the types we changed win.
 */
export async function patchChanges<T extends KubeObject>(target: PatchTarget<T>, before: T, after: T): Promise<T> {
  const { status: statusBefore, ...mainBefore } = before as WithStatus;
  const { status: statusAfter, ...mainAfter } = after as WithStatus;
  const main = mergeDiff(mainBefore, mainAfter) as { metadata?: object } | undefined;
  const current = main ? await patchMain(target, before, main) : before;
  const { conditions: conditionsBefore = [], ...restBefore } = statusBefore ?? {};
  const { conditions: conditionsAfter = [], ...restAfter } = statusAfter ?? {};
  const rest = mergeDiff(restBefore, restAfter) as object | undefined;
  const conditionsChanged = mergeDiff(conditionsBefore, conditionsAfter) !== undefined;
  if (!rest && !conditionsChanged) return current;
  return patchStatus(target, current, live => ({
    ...rest,
    ...(conditionsChanged ? { conditions: mergeConditions(conditionsBefore, conditionsAfter, live) } : {}),
  }));
}

/** The uid keeps the patch off a namesake made meanwhile; the server calls a wrong one invalid. */
function patchMain<T extends KubeObject>(target: PatchTarget<T>, before: T, patch: { metadata?: object }): Promise<T> {
  const { uid, resourceVersion } = before.metadata;
  // Lists are replaced whole, so a list that someone else changed meanwhile must stop us, not be lost.
  const guard = touchesList(patch) ? { resourceVersion } : {};
  return send(target, before, { ...patch, metadata: { ...patch.metadata, uid, ...guard } });
}

/**
 * A status patch always carries the resourceVersion: conditions are one list to it, and for custom kinds the server
 * ignores a uid there (seen on 1.36), so that a namesake made meanwhile would get our status. Redone on a conflict.
 */
function patchStatus<T extends KubeObject>(
  target: PatchTarget<T>,
  start: T,
  statusOver: (live: readonly Condition[]) => object,
): Promise<T> {
  let current: T | undefined = start;
  return retryOnConflict(async () => {
    current ??= await target.client.get(target.resource, keyOf(start));
    const { uid, resourceVersion } = current.metadata;
    if (uid !== start.metadata.uid) throw replaced(start);
    const status = statusOver((current as WithStatus).status?.conditions ?? []);
    const attempted = current;
    current = undefined;
    return send(target, attempted, { metadata: { uid, resourceVersion }, status }, 'status');
  });
}

const replaced = (object: KubeObject): ApiError =>
  new ApiError(
    { code: 409, reason: 'Conflict', message: 'the object was deleted and recreated with the same name' },
    { asked: `patch status of ${describeObject(object)}` },
  );

function send<T extends KubeObject>(target: PatchTarget<T>, object: T, body: object, subresource?: string): Promise<T> {
  const options = defined({ subresource, fieldManager: target.fieldManager, signal: target.signal });
  return target.client.patch(target.resource, keyOf(object), { type: 'merge', body }, options);
}

const touchesList = (value: unknown): boolean =>
  Array.isArray(value) || (typeof value === 'object' && value !== null && Object.values(value).some(touchesList));
