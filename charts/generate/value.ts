/** A value of the chart as data: the source of values.yaml, values.schema.json and the tables of the README. */
export type Value = Field | Group;

export interface Field {
  readonly says: string;
  readonly preset: unknown;
  readonly schema: JsonSchema;
}

export interface Group {
  readonly says: string;
  readonly fields: Fields;
}

export type Fields = Readonly<Record<string, Value>>;
export type JsonSchema = Readonly<Record<string, unknown>>;

export const isGroup = (value: Value): value is Group => 'fields' in value;

export const group = (says: string, fields: Fields): Group => ({ says, fields });

const field =
  <Preset>(schema: JsonSchema) =>
  (preset: Preset, says: string, more: JsonSchema = {}): Field => ({ says, preset, schema: { ...schema, ...more } });

export const text = field<string>({ type: 'string' });
export const flag = field<boolean>({ type: 'boolean' });
export const count = field<number>({ type: 'integer', minimum: 0 });
export const list = field<readonly unknown[]>({ type: 'array' });
export const map = field<Readonly<Record<string, unknown>>>({ type: 'object' });

export const choice = (options: readonly string[], says: string): Field => ({
  says,
  preset: options[0],
  schema: { type: 'string', enum: options },
});

/** A group of values in which every field is optional and no others are allowed. */
export const groupSchema = ({ says, fields }: Group): JsonSchema => ({
  type: 'object',
  description: says,
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, schemaOf(value)])),
});

const schemaOf = (value: Value): JsonSchema =>
  isGroup(value) ? groupSchema(value) : { ...value.schema, description: value.says, default: value.preset };
