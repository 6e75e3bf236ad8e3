import type { ServedKind } from '../kinds/served-kind.ts';
import { parseFieldSelector } from './field-selector.ts';
import type { StoredObject } from './json.ts';
import { parseLabelSelector } from './label-selector.ts';

/** Which objects of a kind a list or watch is about. */
export interface Selection {
  readonly matches: (object: StoredObject) => boolean;
  /** True when labels or fields choose, not only the namespace. */
  readonly selective: boolean;
}

export interface SelectionQuery {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export function parseSelection(kind: ServedKind, query: SelectionQuery): Selection {
  const labels = parseLabelSelector(query.labelSelector);
  const fields = parseFieldSelector(kind, query.fieldSelector);
  const { namespace } = query;
  return {
    matches: object =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      labels(object.metadata.labels ?? {}) &&
      fields(object),
    selective: Boolean(query.labelSelector || query.fieldSelector),
  };
}
