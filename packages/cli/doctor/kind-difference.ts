/** What is read of an OpenAPI schema to compare two. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/** Fields that one of two schemas has and the other does not. */
export interface KindDifference {
  /** We write or read it, and the cluster would drop it: its CRD is older. */
  readonly lacking: readonly string[];
  /** The cluster has it and we do not know it: its CRD is newer. */
  readonly unknown: readonly string[];
}

/** By the names of fields alone: descriptions and rules may differ between releases without harm. */
export function kindDifference(ours: unknown, theirs: unknown): KindDifference {
  const [here, there] = [new Set(fieldsOf(ours as Schema)), new Set(fieldsOf(theirs as Schema))];
  return { lacking: [...here.difference(there)], unknown: [...there.difference(here)] };
}

function fieldsOf({ properties = {}, items, additionalProperties }: Schema, path = ''): string[] {
  const below = Object.entries(properties).flatMap(([name, schema]) => [
    `${path}.${name}`,
    ...fieldsOf(schema, `${path}.${name}`),
  ]);
  const values = typeof additionalProperties === 'object' ? fieldsOf(additionalProperties, `${path}.*`) : [];
  return [...below, ...values, ...(items ? fieldsOf(items, `${path}[]`) : [])];
}
