/** What is read of an OpenAPI schema to compare two. */
interface CrdSchema {
  readonly properties?: Readonly<Record<string, CrdSchema>>;
  readonly items?: CrdSchema;
  readonly additionalProperties?: CrdSchema | boolean;
}

/** Fields that one of two schemas has and the other does not. */
export interface CrdFieldDifference {
  /** We write or read it, and the cluster would drop it: its CRD is older. */
  readonly lacking: readonly string[];
  /** The cluster has it and we do not know it: its CRD is newer. */
  readonly unknown: readonly string[];
}

/** By the names of fields alone: descriptions and rules may differ between releases without harm. */
export function crdFieldDifference(ours: unknown, theirs: unknown): CrdFieldDifference {
  const [here, there] = [new Set(fieldsOf(ours as CrdSchema)), new Set(fieldsOf(theirs as CrdSchema))];
  return { lacking: [...here.difference(there)], unknown: [...there.difference(here)] };
}

function fieldsOf({ properties = {}, items, additionalProperties }: CrdSchema, path = ''): string[] {
  const below = Object.entries(properties).flatMap(([name, schema]) => [
    `${path}.${name}`,
    ...fieldsOf(schema, `${path}.${name}`),
  ]);
  const values = typeof additionalProperties === 'object' ? fieldsOf(additionalProperties, `${path}.*`) : [];
  return [...below, ...values, ...(items ? fieldsOf(items, `${path}[]`) : [])];
}
