import type { Condition, ConditionCatalogue, ReasonOf } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import {
  type Client,
  type Conditioned,
  type ConditionNote,
  type KubeObject,
  patchChanges,
  type Resource,
  setCondition,
} from '@minifleet/kube';

type ObjectWithConditions = KubeObject & Conditioned & { status?: { observedGeneration?: number } };

interface NotesTarget<T extends ObjectWithConditions> {
  readonly client: Client;
  readonly clock: Clock;
  readonly resource: Resource<T>;
}

/** Patches conditions, observedGeneration and `change` in one write. */
export async function writeNotes<T extends ObjectWithConditions>(
  { client, clock, resource }: NotesTarget<T>,
  object: T,
  { notes, change }: { readonly notes: readonly ConditionNote[]; readonly change?: (draft: T) => void },
): Promise<T> {
  const draft = structuredClone(object);
  for (const note of notes) setCondition(draft, note, clock);
  change?.(draft);
  const { generation } = draft.metadata;
  if (generation !== undefined) draft.status = { ...draft.status, observedGeneration: generation };
  return patchChanges({ client, resource }, object, draft);
}

/** Creates conditions of one CRD; a reason that its catalogue does not have is a compile error. */
export const notesFor =
  <C extends ConditionCatalogue>(_catalogue: C) =>
  <Type extends keyof C & string>(
    type: Type,
    status: Condition['status'],
    reason: ReasonOf<C, Type>,
    message = '',
  ): ConditionNote => ({ type, status, reason, message });
