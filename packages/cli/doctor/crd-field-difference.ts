/** Parts of an OpenAPI schema that the comparison reads. */
interface CrdSchema {
  readonly properties?: Readonly<Record<string, CrdSchema>>;
  readonly items?: CrdSchema;
  readonly additionalProperties?: CrdSchema | boolean;
}

/** Fields that only one of two schemas has. */
interface CrdFieldDifference {
  /** Fields of this version that the cluster would drop, because its CRD is older. */
  readonly lacking: readonly string[];
  /** Fields of the cluster that this version does not know, because its CRD is newer. */
  readonly unknown: readonly string[];
}

/** Compares field names only. Descriptions and validation rules may differ between releases without harm. */
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
