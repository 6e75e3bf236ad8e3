import { apiVersionOf, type Resource } from '../../client/resource.ts';
import type { Schema } from '../schema/schema.ts';
import type { Problem } from '../server/refusal.ts';
import type { StoredObject } from '../store/json.ts';

/** Validates an object beyond its schema, in place of CEL rules and admission webhooks. */
export type Validate = (object: StoredObject, before?: StoredObject) => readonly Problem[];

/** One kind in one version, with every property that differs between kinds. */
export interface ServedKind {
  /** `group/plural`: the versions of a kind share their objects. */
  readonly id: string;
  readonly resource: Resource;
  /** Defined by a CustomResourceDefinition: pruned, defaulted and validated by its schema. */
  readonly custom: boolean;
  /** Merge rules of fields and lists. For custom kinds, also the validation rules. */
  readonly schema: Schema;
  /** `status`, and for CSRs `approval`: subresources that write only the status. */
  readonly subresources: readonly string[];
  /** True if metadata.generation counts changes outside metadata and status. */
  readonly generation: boolean;
  /** True if a write to the status may also change labels and annotations, as in older built-in kinds. */
  readonly metadataWithStatus: boolean;
  /** True if a PUT may omit the resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** True if a PUT to an absent name creates the object. */
  readonly createOnUpdate: boolean;
  /** True if a deletion waits for the grace period, as the deletion of a Pod does. */
  readonly graceful: boolean;
  readonly selectableFields: readonly string[];
  /** Store version at which the kind was first served. No watch can start before it. */
  readonly servedSince: number;
  /** Completes a new or changed object in place, as the defaulting of built-in kinds does. */
  readonly complete?: (object: StoredObject) => void;
  /** Completes only new objects. */
  readonly prepareNew?: (object: StoredObject) => void;
  readonly validate?: Validate;
}

export const kindId = (resource: Pick<Resource, 'group' | 'plural'>): string => `${resource.group}/${resource.plural}`;

/** Kind of the objects in a list or a watch, and whether only their metadata is returned. */
export interface ListView {
  readonly kind: ServedKind;
  readonly metadataOnly: boolean;
}

export const shownIn = ({ kind, metadataOnly }: ListView, object: StoredObject): StoredObject =>
  metadataOnly
    ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: object.metadata }
    : shown(kind, object);

/** Converts the object to this version of the kind. */
export const shown = (kind: ServedKind, object: StoredObject): StoredObject => ({
  ...object,
  apiVersion: apiVersionOf(kind.resource),
  kind: kind.resource.kind,
});
