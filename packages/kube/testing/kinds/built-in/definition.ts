import { problem } from '../../schema/problem.ts';
import type { Problem } from '../../server/refusal.ts';
import { isObject, type JsonObject, objectIn, type StoredObject } from '../../store/json.ts';

export function completeDefinition(definition: StoredObject): void {
  const spec = objectIn(definition, 'spec');
  spec['conversion'] ??= { strategy: 'None' };
  const names = objectIn(spec, 'names');
  const { kind } = names;
  if (typeof kind !== 'string') return;
  names['singular'] ??= kind.toLowerCase();
  names['listKind'] ??= `${kind}List`;
}

export function prepareDefinition(definition: StoredObject): void {
  const stored = versionsOf(definition).filter(version => version['storage'] === true);
  definition['status'] = { conditions: [], acceptedNames: {}, storedVersions: stored.map(version => version['name']) };
}

/** Checks only what would make the kind unusable here. The real server checks much more. */
export function validateDefinition(definition: StoredObject): Problem[] {
  const spec = objectIn(definition, 'spec');
  const expected = `${String(objectIn(spec, 'names')['plural'])}.${String(spec['group'])}`;
  const { name } = definition.metadata;
  const problems: Problem[] = [];
  if (name !== expected) {
    const rule = 'must be spec.names.plural+"."+spec.group';
    problems.push(problem('Invalid', 'metadata.name', `Invalid value: ${JSON.stringify(name)}: ${rule}`));
  }
  if (versionsOf(definition).filter(version => version['storage'] === true).length !== 1) {
    const rule = 'must have exactly one version marked as storage version';
    problems.push(problem('Invalid', 'spec.versions', `Invalid value: ${rule}`));
  }
  return problems;
}

export const versionsOf = (definition: StoredObject): JsonObject[] => {
  const { versions } = objectIn(definition, 'spec');
  return Array.isArray(versions) ? versions.filter(isObject) : [];
};
