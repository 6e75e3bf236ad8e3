import { z } from 'zod';
import type { Column } from './column.ts';
import type { ConditionCatalogue } from './condition-catalogue.ts';
import { type Crd, objectSchema, type ScaleSubresource } from './crd.ts';
import { fillDefaults } from './defaults.ts';
import { type ObjectMeta, objectMeta } from './object-meta.ts';
import { type ValidationRule, withRules } from './rule.ts';
import type { SchemaOutput } from './schema-output.ts';
import { type ValidationResult, validate } from './validate.ts';

/** Properties of a resource from which a client builds its URLs. */
export interface KindResource<T = unknown> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Never set; passes the object type to the methods of a client. */
  readonly objectType?: T;
}

interface KindDefinition<Spec extends z.ZodType, Status extends z.ZodType, C extends ConditionCatalogue>
  extends KindResource {
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
  /** Labels of the CRD itself: the Cluster API contract, clusterctl's move. */
  labels: Readonly<Record<string, string>>;
  description: string;
  spec: Spec;
  status: Status;
  conditions: C;
  columns: readonly Column[];
  /** Rules over the whole object; only these may read metadata.name. */
  rules?: readonly ValidationRule<RootObject<SchemaOutput<Spec>>>[];
  scale?: ScaleSubresource;
  /** Minimal valid object, for docs and for tests of the rules. */
  example: Manifest<z.input<Spec>>;
  /** Valid objects with fields that exclude those of `example`, for tests of the rules of these fields. */
  otherExamples?: readonly Manifest<z.input<Spec>>[];
}

/** An object as the API server stores it: defaults filled in. */
export interface KindObject<Spec, Status> {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: Spec;
  status?: Status;
}

/** An object as a user writes it. */
export interface Manifest<Spec> {
  metadata: Partial<ObjectMeta>;
  spec?: Spec;
}

interface RootObject<Spec> {
  metadata: { name?: string };
  spec: Spec;
}

export interface Kind<
  Spec extends z.ZodType = z.ZodType,
  Status extends z.ZodType = z.ZodType,
  C extends ConditionCatalogue = ConditionCatalogue,
> {
  resource: KindResource<KindObject<SchemaOutput<Spec>, SchemaOutput<Status>>>;
  apiVersion: string;
  conditions: C;
  /** Schema of the whole object; walks over rules and fields start here. */
  schema: z.ZodType;
  example: Manifest<z.input<Spec>>;
  otherExamples: readonly Manifest<z.input<Spec>>[];
  crd: () => Crd;
  /** Validates like the API server, with messages; with `old`, also the transition. Also reports unknown fields. */
  validate: (object: unknown, old?: unknown) => ValidationResult;
  /** Fills defaults as the API server does; drops nothing. */
  withDefaults: (object: unknown) => KindObject<SchemaOutput<Spec>, SchemaOutput<Status>>;
}

/** The object type of a kind, for example `ObjectOf<typeof macHost>`. */
export type ObjectOf<K> =
  K extends Kind<infer Spec, infer Status> ? KindObject<SchemaOutput<Spec>, SchemaOutput<Status>> : never;

/** Derives types, validation, defaults and the CRD from one definition. */
export function defineKind<Spec extends z.ZodType, Status extends z.ZodType, const C extends ConditionCatalogue>(
  definition: KindDefinition<Spec, Status, C>,
): Kind<Spec, Status, C> {
  const { group, version, kind, plural, scope, conditions, example, otherExamples = [] } = definition;
  const schema = rootSchema(definition);
  // Cached: the conversion takes milliseconds, and every in-memory API of the tests needs it.
  let crd: Crd | undefined;
  return {
    resource: { group, version, kind, plural, scope },
    apiVersion: `${group}/${version}`,
    conditions,
    schema,
    example,
    otherExamples,
    crd: () => (crd ??= crdOf(definition)),
    validate: (object, old) => validate(schema, object, old),
    withDefaults: object => fillDefaults(schema, object) as KindObject<SchemaOutput<Spec>, SchemaOutput<Status>>,
  };
}

function rootSchema<Spec extends z.ZodType, Status extends z.ZodType, C extends ConditionCatalogue>(
  definition: KindDefinition<Spec, Status, C>,
): z.ZodType {
  const root = z.object({
    apiVersion: z.literal(`${definition.group}/${definition.version}`),
    kind: z.literal(definition.kind),
    metadata: objectMeta,
    spec: definition.spec as z.ZodType<z.output<Spec>>,
    status: definition.status.optional(),
  });
  // The rules read metadata and spec only, which every parsed root has.
  return withRules<z.ZodType>(root, (definition.rules ?? []) as readonly ValidationRule<unknown>[]);
}

function crdOf<Spec extends z.ZodType, Status extends z.ZodType, C extends ConditionCatalogue>(
  definition: KindDefinition<Spec, Status, C>,
): Crd {
  const { group, version, kind, plural, singular, shortNames, categories, scope } = definition;
  const openAPIV3Schema = objectSchema({ ...definition, rules: definition.rules ?? [] });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: definition.labels },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames, categories },
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: definition.columns,
          schema: { openAPIV3Schema },
          subresources: { status: {}, ...(definition.scale ? { scale: definition.scale } : {}) },
        },
      ],
    },
  };
}
