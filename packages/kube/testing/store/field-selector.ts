import type { ServedKind } from '../kinds/served-kind.ts';
import { badRequest } from '../server/refusal.ts';
import { type StoredObject, valueAt } from './json.ts';

type Requirement = (object: StoredObject) => boolean;

/** Reads `metadata.name=a,status.phase!=Running`; each kind says which of its fields can be asked for. */
export function parseFieldSelector(kind: ServedKind, text: string | undefined): Requirement {
  const terms = (text ?? '').split(',').filter(term => term !== '');
  const requirements = terms.map(term => parseTerm(kind, term, text ?? ''));
  return object => requirements.every(requirement => requirement(object));
}

function parseTerm(kind: ServedKind, term: string, whole: string): Requirement {
  const [, field, operator, value] = /^([^=!]+)(!=|==|=)(.*)$/.exec(term) ?? [];
  if (field === undefined) throw badRequest(`invalid selector: '${whole}'; can't understand '${term}'`);
  if (!always.includes(field) && !kind.selectableFields.includes(field)) throw unsupported(kind, field);
  const equal = operator !== '!=';
  return object => (textOf(object, field) === value) === equal;
}

const always = ['metadata.name', 'metadata.namespace'];

/** Kinds with fields of their own and kinds without have different sentences for the same mistake. */
const unsupported = (kind: ServedKind, field: string): Error =>
  badRequest(
    kind.custom || kind.selectableFields.length > 0
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );

function textOf(object: StoredObject, field: string): string {
  const value = valueAt(object, field);
  if (value === undefined || value === null) return field === 'spec.unschedulable' ? 'false' : '';
  return typeof value === 'object' ? JSON.stringify(value) : `${value as string | number | boolean}`;
}
