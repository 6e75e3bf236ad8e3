/** Handling of a Pod field on a node whose Pods are VMs. An ignored field always has a documented reason. */
export type FieldRule =
  | { readonly is: 'supported' }
  | { readonly is: 'ignored'; readonly because: string }
  /** The Pod is rejected if `when` is true for the value. */
  | { readonly is: 'refused'; readonly because: string; readonly when: (value: never) => boolean };

export const supported: FieldRule = { is: 'supported' };

export const ignored = (because: string): FieldRule => ({ is: 'ignored', because });

/** Rejects the field if `when` is true for its value (default: whenever it is set). */
export const refused = <T>(because: string, when: (value: T) => boolean = isGiven): FieldRule => ({
  is: 'refused',
  because,
  when,
});

/** False, empty lists and empty objects count as unset. */
export function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** One rule for every field of a type: a field that Kubernetes adds is a compile error here. */
export type FieldRules<T> = Readonly<Record<keyof Required<T>, FieldRule>>;

export interface Refusal {
  /** CamelCase: used in the Pod's status and in an event. */
  readonly reason: string;
  readonly message: string;
}

/** Returns a refusal for the first unsupported field of the object. */
export function refusalOf(
  object: object,
  rules: Readonly<Record<string, FieldRule>>,
  path: string,
): Refusal | undefined {
  for (const [field, value] of Object.entries(object)) {
    const rule = rules[field] ?? { is: 'refused', because: 'unknown to this version', when: isGiven };
    if (rule.is !== 'refused' || !isGiven(value) || !rule.when(value as never)) continue;
    const name = field.charAt(0).toUpperCase() + field.slice(1);
    return { reason: `${name}NotSupported`, message: `${path}.${field} is not supported: ${rule.because}` };
  }
  return undefined;
}
