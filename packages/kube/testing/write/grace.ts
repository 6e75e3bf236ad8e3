import { timestamp } from '@minifleet/clock';
import { namespaces } from '../../client/built-in.ts';
import { kindId, type ServedKind } from '../kinds/served-kind.ts';
import { objectIn, type StoredObject } from '../store/json.ts';
import type { ApiState } from './api-state.ts';

/** Seconds that a deletion waits for the node agent. No agent runs a Pod that has no node or has ended. */
export function graceOf(kind: ServedKind, object: StoredObject, asked: number | undefined): number {
  if (!kind.graceful) return 0;
  const { nodeName, terminationGracePeriodSeconds } = objectIn(object, 'spec');
  const { phase } = objectIn(object, 'status');
  if (!nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  // A second deletion can only make the wait shorter.
  if (deletionTimestamp !== undefined) return Math.min(deletionGracePeriodSeconds, asked ?? deletionGracePeriodSeconds);
  const grace = asked ?? (typeof terminationGracePeriodSeconds === 'number' ? terminationGracePeriodSeconds : 30);
  return grace < 0 ? 1 : grace;
}

/** The object marked as deleted; a shorter grace moves a mark that is already there. */
export function withDeletion(
  kind: ServedKind,
  object: StoredObject,
  { state, grace }: { readonly state: ApiState; readonly grace: number },
): StoredObject {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation } = object.metadata;
  if (deletionTimestamp !== undefined && grace >= deletionGracePeriodSeconds) return object;
  const start =
    deletionTimestamp === undefined
      ? state.clock.now()
      : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
  const first = deletionTimestamp === undefined;
  const isNamespace = kind.id === kindId(namespaces);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      deletionTimestamp: timestamp(start + grace * 1_000),
      ...(isNamespace ? {} : { deletionGracePeriodSeconds: grace }),
      ...(generation !== undefined && first ? { generation: generation + 1 } : {}),
    },
    ...(isNamespace ? { status: { ...objectIn(object, 'status'), phase: 'Terminating' } } : {}),
  };
}
