import { kinds } from '@minifleet/api';

/** The keywords of an OpenAPI schema that the page shows. */
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

/** Renders docs/reference/kinds.md: every field that a person writes or reads, as in `kubectl explain`. */
export const kindsPage = (): string =>
  `<!-- Generated from packages/api by npm run generate. Do not edit. -->
# CRDs

Every field of Minifleet's CRDs, as \`kubectl explain\` shows them. Text in italics is a validation rule: the API server rejects an object that violates it, with this message.

${kinds.map(kind => section(kind.crd() as unknown as Crd)).join('\n')}`;

function section({ spec: { group, scope, names, versions } }: Crd): string {
  const [version] = versions;
  const schema = version?.schema.openAPIV3Schema ?? {};
  const short = names.shortNames?.length ? `, short \`${names.shortNames.join('`, `')}\`` : '';
  const tables = (['spec', 'status'] as const).flatMap(part => table(part, schema.properties?.[part]));
  return `## ${names.kind}

${schema.description ?? ''}

\`apiVersion: ${group}/${version?.name}\`, \`${names.plural}\`${short}; ${scope === 'Cluster' ? 'cluster-scoped' : 'namespaced'}.
${tables.join('')}`;
}

function table(part: string, schema: Schema | undefined): string[] {
  const rows = fieldsOf(schema, '').map(({ path, field, required }) => {
    const facts = [typeOf(field), required ? 'required' : '', bounds(field)].filter(fact => fact !== '');
    const columns = [
      `\`${path}\``,
      facts.join(', '),
      ...(part === 'spec' ? [defaultOf(field)] : []),
      descriptionOf(field),
    ];
    return `| ${columns.join(' | ')} |\n`;
  });
  const header =
    part === 'spec' ? '| Type | Default | Description |\n|---|---|---|---|' : '| Type | Description |\n|---|---|---|';
  return rows.length === 0 ? [] : [`\n| ${part} ${header}\n${rows.join('')}`];
}

interface Field {
  readonly path: string;
  readonly field: Schema;
  readonly required: boolean;
}

/** Lists fields depth first, in the order of the definition. An element of a list is `[]`, a value of a map is `.*`. */
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

function bounds({ enum: values, minimum, maximum }: Schema): string {
  const one = values ? `one of ${values.map(value => `\`${String(value)}\``).join(' ')}` : '';
  const least = minimum === undefined ? '' : `from ${minimum}`;
  const most = maximum === undefined ? '' : `to ${maximum}`;
  return [one, [least, most].filter(Boolean).join(' ')].filter(Boolean).join(', ');
}

const defaultOf = (field: Schema): string =>
  field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``;

const descriptionOf = ({ description = '', 'x-kubernetes-validations': rules = [] }: Schema): string => {
  const messages = rules.flatMap(({ message }) => (message ? [`*${message}*`] : []));
  return [description, ...messages].join(' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
};
