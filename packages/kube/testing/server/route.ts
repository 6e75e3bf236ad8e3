import type { KindRegistry } from '../kinds/kind-registry.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import { noSuchResource, Refusal } from './refusal.ts';

/** Target that the path of a request names: a collection, an object or a subresource of one. */
export interface Route {
  readonly kind: ServedKind;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export function routeOf(kinds: KindRegistry, path: string): Route {
  const [root, ...segments] = path.split('/').filter(Boolean).map(decodeURIComponent);
  const [group = '', version = '', ...rest] = root === 'api' ? ['', ...segments] : segments;
  const apiVersion = group ? `${group}/${version}` : version;
  // No API serves this group. The response comes from the mux below the API machinery and is not a Status.
  if ((root !== 'api' && root !== 'apis') || !kinds.servesVersion(apiVersion)) throw new PageNotFound();
  const { namespace, plural, name, subresource } = splitNamespace(rest);
  const kind = plural === undefined ? undefined : kinds.find({ group, version, plural });
  if (!kind) throw noSuchResource();
  const namespaced = kind.resource.scope === 'Namespaced';
  if (namespaced ? namespace === undefined && name !== undefined : namespace !== undefined) throw noSuchResource();
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

interface RouteTarget {
  readonly namespace?: string | undefined;
  readonly plural?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** `namespaces/a/pods` is a collection in a namespace; `namespaces/a` and `namespaces/a/status` are a namespace itself. */
function splitNamespace(segments: readonly string[]): RouteTarget {
  const inside = segments[0] === 'namespaces' && segments.length > 2 && segments[2] !== 'status';
  const [plural, name, subresource] = inside ? segments.slice(2) : segments;
  return { namespace: inside ? segments[1] : undefined, plural, name, subresource };
}

export class PageNotFound extends Refusal {
  constructor() {
    super({ code: 404, message: '404 page not found' });
  }
}
