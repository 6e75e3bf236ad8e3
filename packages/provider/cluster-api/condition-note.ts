import type { Condition, ConditionCatalogue, ReasonOf } from '@minifleet/api';
import type { ConditionNote } from '@minifleet/kube';

/** Creates conditions of one CRD; a reason that its catalogue does not have is a compile error. */
export const notesFor =
  <C extends ConditionCatalogue>(_catalogue: C) =>
  <Type extends keyof C & string>(
    type: Type,
    status: Condition['status'],
    reason: ReasonOf<C, Type>,
    message = '',
  ): ConditionNote => ({ type, status, reason, message });
