import type { ServedKind } from '../kinds/served-kind.ts';
import { problem } from '../schema/problem.ts';
import { validate } from '../schema/validate.ts';
import { invalid, type Problem } from '../server/refusal.ts';
import type { StoredObject } from '../store/json.ts';
import { without } from '../store/json.ts';
import { metadataProblems } from './name-rules.ts';

/** Refuses an object its kind does not allow, with every problem at once. */
export function refuseInvalid(kind: ServedKind, object: StoredObject, before?: StoredObject): void {
  const problems = [
    ...metadataProblems(kind, object),
    ...(before ? immutableProblems(object, before) : []),
    ...(kind.custom ? schemaProblems(kind, object, before) : []),
  ];
  // Further rules may rely on the schema: they are asked only of what the schema allows.
  if (problems.length === 0) problems.push(...(kind.validate?.(object, before) ?? []));
  if (problems.length > 0) throw invalid(kind.resource, object.metadata.name, problems);
}

const schemaProblems = (kind: ServedKind, object: StoredObject, before: StoredObject | undefined): Problem[] =>
  validate(without(object, 'metadata', 'apiVersion', 'kind'), kind.schema, {
    path: '',
    ...(before ? { before: without(before, 'metadata', 'apiVersion', 'kind') } : {}),
  });

function immutableProblems(object: StoredObject, before: StoredObject): Problem[] {
  const { finalizers = [] } = object.metadata;
  const problems = (['uid', 'deletionTimestamp'] as const)
    .filter(field => object.metadata[field] !== before.metadata[field])
    .map(field => {
      const sent = JSON.stringify(object.metadata[field]);
      return problem('Invalid', `metadata.${field}`, `Invalid value: ${sent}: field is immutable`);
    });
  const added = finalizers.filter(name => !before.metadata.finalizers?.includes(name));
  if (before.metadata.deletionTimestamp && added.length > 0) {
    const names = added.map(name => JSON.stringify(name)).join(', ');
    const rule = 'no new finalizers can be added if the object is being deleted';
    const found = `found new finalizers []string{${names}}`;
    problems.push(problem('Forbidden', 'metadata.finalizers', `Forbidden: ${rule}, ${found}`));
  }
  return problems;
}
