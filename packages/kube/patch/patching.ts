import { messageOf } from '@minifleet/errors';
import type { Resource } from '../client/resource.ts';
import type { Context } from '../controller/definition.ts';
import { copyOf } from '../copy.ts';
import type { KubeObject } from '../object.ts';
import { patchChanges } from './patch-changes.ts';

/**
 * One patch per reconcile, whatever happens: gives `change` a copy it may alter freely, then sends the difference. Also
 * when `change` throws: its progress and its condition are written, and the error is rethrown.
 */
export async function patching<T extends KubeObject, R>(
  context: Pick<Context, 'client'>,
  target: { readonly resource: Resource<T>; readonly object: T },
  change: (draft: T) => Promise<R>,
): Promise<R> {
  const before = target.object;
  const draft = copyOf(before);
  // No signal: at shutdown and past the deadline, what was done must still be written down.
  const save = (): Promise<T> => patchChanges({ client: context.client, resource: target.resource }, before, draft);
  let result: R;
  try {
    result = await change(draft);
  } catch (error) {
    await save().catch((lost: unknown) => {
      throw new AggregateError(
        [error, lost],
        `${messageOf(error)}; its changes could not be written either: ${messageOf(lost)}`,
      );
    });
    throw error;
  }
  await save();
  return result;
}
