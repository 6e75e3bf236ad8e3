import { kinds } from '@minifleet/api';

/** What of an OpenAPI schema a person wants to know. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-validations'?: readonly { readonly message?: string }[];
}

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** docs/reference/kinds.md: every field that a person writes or reads, as `kubectl explain` has it. */
export const kindsPage = (): string =>
  `<!-- Generated from packages/api by npm run generate. Do not edit. -->
# Kinds

Every field of our kinds, as \`kubectl explain\` has it in a cluster. What breaks a rule is refused with the sentence of the rule.

${kinds.map(kind => section(kind.crd() as unknown as Crd)).join('\n')}`;

function section({ spec: { group, scope, names, versions } }: Crd): string {
  const [version] = versions;
  const schema = version?.schema.openAPIV3Schema ?? {};
  const short = names.shortNames?.length ? `, short \`${names.shortNames.join('`, `')}\`` : '';
  const tables = (['spec', 'status'] as const).flatMap(part => table(part, schema.properties?.[part]));
  return `## ${names.kind}

${schema.description ?? ''}

\`apiVersion: ${group}/${version?.name}\`, \`${names.plural}\`${short}; ${scope === 'Cluster' ? 'of the whole cluster' : 'in a namespace'}.
${tables.join('')}`;
}

function table(part: string, schema: Schema | undefined): string[] {
  const rows = fieldsOf(schema, '').map(({ path, field, required }) => {
    const facts = [typeOf(field), required ? 'needed' : '', bounds(field)].filter(fact => fact !== '');
    return `| \`${path}\` | ${facts.join(', ')} | ${wordsOf(field)} |\n`;
  });
  return rows.length === 0 ? [] : [`\n| ${part} | type | |\n|---|---|---|\n${rows.join('')}`];
}

interface Field {
  readonly path: string;
  readonly field: Schema;
  readonly required: boolean;
}

/** Depth first, in the order of the definition; an element of a list is \`[]\`, a value of a map \`.*\`. */
function fieldsOf(schema: Schema | undefined, above: string): Field[] {
  const within =
    schema?.items ?? (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : schema);
  const step = schema?.items ? '[]' : within === schema ? '' : '.*';
  return Object.entries(within?.properties ?? {}).flatMap(([name, field]) => {
    const path = `${above}${step}${above === '' ? '' : '.'}${name}`;
    return [{ path, field, required: within?.required?.includes(name) ?? false }, ...fieldsOf(field, path)];
  });
}

function typeOf({ type = 'any', items, additionalProperties, format }: Schema): string {
  if (items) return `list of ${items.type ?? 'any'}`;
  if (typeof additionalProperties === 'object') return `map of ${additionalProperties.type ?? 'any'}`;
  return format === 'date-time' ? 'time' : type;
}

function bounds({ enum: values, minimum, maximum, default: otherwise }: Schema): string {
  const one = values ? `one of ${values.map(value => `\`${String(value)}\``).join(' ')}` : '';
  const least = minimum === undefined ? '' : `from ${minimum}`;
  const most = maximum === undefined ? '' : `to ${maximum}`;
  const given = otherwise === undefined ? '' : `\`${JSON.stringify(otherwise)}\` unless said`;
  return [one, [least, most].filter(Boolean).join(' '), given].filter(Boolean).join(', ');
}

const wordsOf = ({ description = '', 'x-kubernetes-validations': rules = [] }: Schema): string => {
  const told = rules.flatMap(({ message }) => (message ? [`*${message}*`] : []));
  return [description, ...told].join(' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
};
