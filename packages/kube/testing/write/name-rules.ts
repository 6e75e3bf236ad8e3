import type { ServedKind } from '../kinds/served-kind.ts';
import { problem } from '../schema/problem.ts';
import type { Problem } from '../server/refusal.ts';
import type { StoredObject } from '../store/json.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = String.raw`${LABEL}(\.${LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE = `(${QUALIFIED})?`;

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const wholeSubdomain = whole(SUBDOMAIN);
const wholeQualified = whole(QUALIFIED);
const wholeValue = whole(VALUE);
const standardFinalizers = ['orphan', 'foregroundDeletion', 'kubernetes'];

/** Lists the invalid names in the metadata of an object. */
export const metadataProblems = (kind: ServedKind, { metadata }: StoredObject): Problem[] => [
  ...nameProblems(kind, metadata.name),
  ...Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => labelProblems(key, value)),
  ...(metadata.finalizers ?? []).flatMap((name, index) => finalizerProblems(kind, name, index)),
  ...(metadata.ownerReferences ?? []).flatMap(owner => [
    ...(owner.apiVersion ? [] : [required('metadata.ownerReferences.apiVersion', 'version must not be empty')]),
    ...(owner.uid ? [] : [required('metadata.ownerReferences.uid', 'must not be empty')]),
  ]),
];

const required = (field: string, rule: string): Problem => problem('Invalid', field, `Invalid value: "": ${rule}`);

function nameProblems(kind: ServedKind, name: string): Problem[] {
  if (!name) return [problem('Required', 'metadata.name', 'Required value: name or generateName is required')];
  const bad = (rule: string): Problem[] => [
    problem('Invalid', 'metadata.name', `Invalid value: ${JSON.stringify(name)}: ${rule}`),
  ];
  if (kind.resource.kind === 'Namespace' && name.includes('.')) return bad('must not contain dots');
  if (name.length > 253) return bad('must be no more than 253 bytes');
  if (wholeSubdomain.test(name)) return [];
  return bad(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
      `and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
  );
}

function labelProblems(key: string, value: string): Problem[] {
  const [name, prefix] = key.split('/').reverse();
  const wrongKey = !wholeQualified.test(name ?? '') || (prefix !== undefined && !wholeSubdomain.test(prefix));
  const bad = (text: string, rule: string): Problem =>
    problem('Invalid', 'metadata.labels', `Invalid value: ${JSON.stringify(text)}: ${rule}`);
  return [
    ...(wrongKey || (name ?? '').length > 63 ? [bad(key, 'name part must be a qualified name')] : []),
    ...(wholeValue.test(value) && value.length <= 63 ? [] : [bad(value, 'must be a valid label value')]),
  ];
}

function finalizerProblems(kind: ServedKind, name: string, index: number): Problem[] {
  // Custom kinds only warn about a finalizer without a domain.
  if (kind.custom || name.includes('/') || standardFinalizers.includes(name)) return [];
  const rule = 'name is neither a standard finalizer name nor is it fully qualified';
  return [problem('Invalid', `metadata.finalizers[${index}]`, `Invalid value: ${JSON.stringify(name)}: ${rule}`)];
}
