import { apiVersionOf, type Resource } from '../../client/resource.ts';
import { kindId, type ServedKind } from './served-kind.ts';

/** Kinds that the server serves at present. A new CustomResourceDefinition adds to them. */
export class KindRegistry {
  readonly #kinds = new Map<string, ServedKind>();

  add(kind: ServedKind): void {
    this.#kinds.set(pathOf(kind.resource), kind);
  }

  removeAll(id: string): void {
    for (const [path, kind] of this.#kinds) if (kind.id === id) this.#kinds.delete(path);
  }

  find(resource: Pick<Resource, 'group' | 'version' | 'plural'>): ServedKind | undefined {
    return this.#kinds.get(pathOf(resource));
  }

  /** Finds the kind of an owner reference. Its version may differ from the version in which the owner was written. */
  findByType(type: { readonly apiVersion: string; readonly kind: string }): ServedKind | undefined {
    const group = type.apiVersion.includes('/') ? type.apiVersion.split('/')[0] : '';
    return [...this.#kinds.values()].find(({ resource }) => resource.kind === type.kind && resource.group === group);
  }

  /** One entry for each kind, whatever the number of its versions. */
  distinct(): ServedKind[] {
    return [...new Map([...this.#kinds.values()].map(kind => [kind.id, kind])).values()];
  }

  servesVersion(apiVersion: string): boolean {
    return [...this.#kinds.values()].some(kind => apiVersionOf(kind.resource) === apiVersion);
  }

  get(resource: Resource): ServedKind {
    const kind = this.find(resource);
    if (!kind) throw new TypeError(`${kindId(resource)} is not served`);
    return kind;
  }
}

const pathOf = (resource: Pick<Resource, 'group' | 'version' | 'plural'>): string =>
  `${resource.group}/${resource.version}/${resource.plural}`;
