import type { Duration } from '@minifleet/clock';
import { defined } from '../defined.ts';
import type { KubeObject, ObjectKey } from '../object.ts';
import { keyOf } from '../object.ts';
import { errorFromResponse, isNotFound } from './api-error.ts';
import { apiVersionOf, collectionPath, objectPath, type Resource } from './resource.ts';
import { type ApiRequest, asMetadata, type Transport } from './transport.ts';
import { openWatch, type WatchEvent } from './watch.ts';

/** The verbs of the Kubernetes API on plain objects. Every failure is an ApiError or a ConnectionError. */
export interface Client {
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: GetOptions): Promise<T>;
  /** Like get; absent is `undefined`, not an error. */
  find<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: GetOptions): Promise<T | undefined>;
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ObjectList<T>>;
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): Promise<Watch<T>>;
  create<T extends KubeObject>(resource: Resource<T>, object: NewObject<T>, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Server-side apply: the object has all fields of this manager; fields that it no longer sends are released. */
  apply<T extends KubeObject>(resource: Resource<T>, object: NewObject<T>, options: ApplyOptions): Promise<T>;
  delete(resource: Resource, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** For requests without a verb here: `/readyz`, a TokenRequest, a log. Throws an ApiError on an error status. */
  send(request: ApiRequest): Promise<string>;
  close(): Promise<void>;
}

/** Body of a create or apply. The server fills in the rest; apiVersion and kind come from the resource. */
export type NewObject<T extends KubeObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  apiVersion?: string;
  kind?: string;
  metadata: Partial<T['metadata']>;
};

interface GetOptions {
  readonly signal?: AbortSignal;
}

export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The server sends only metadata, so that a caller that needs to know that a Secret exists does not hold its data. */
  readonly metadataOnly?: boolean;
}

export interface ListOptions extends Selection {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly signal?: AbortSignal;
}

export interface ObjectList<T> {
  readonly items: T[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

export interface WatchOptions extends Selection {
  readonly resourceVersion: string;
  /** Time after which the server closes the watch regularly. */
  readonly timeout: Duration;
  readonly signal?: AbortSignal;
}

export interface Watch<T> {
  readonly events: AsyncIterable<WatchEvent<T>>;
  close(): void;
}

export interface WriteOptions {
  readonly subresource?: string;
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly signal?: AbortSignal;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take over fields another manager holds. Without it such a field is a Conflict that names the manager. */
  readonly force?: boolean;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly signal?: AbortSignal;
}

type Patch =
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'strategic'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] };

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test' | 'move' | 'copy';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

const PATCH_TYPES: Record<Patch['type'], string> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

export function createClient(transport: Transport): Client {
  async function send(request: ApiRequest): Promise<string> {
    const response = await transport.send(request);
    if (response.status >= 400) throw errorFromResponse(request, response);
    return response.body;
  }
  const sendForObject = async <T>(request: ApiRequest): Promise<T> => JSON.parse(await send(request)) as T;

  const client: Client = {
    get: (resource, key, { signal } = {}) =>
      sendForObject({ method: 'GET', path: objectPath(resource, key), ...defined({ signal }) }),
    async find(resource, key, options) {
      try {
        return await client.get(resource, key, options);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    async list(resource, options = {}) {
      const { namespace, signal, metadataOnly, ...query } = options;
      const path = collectionPath(resource, namespace);
      const list = await sendForObject<ObjectList<KubeObject>>({
        method: 'GET',
        path,
        query,
        ...(metadataOnly ? { accept: asMetadata('PartialObjectMetadataList') } : {}),
        ...defined({ signal }),
      });
      // The server sends list items without apiVersion and kind, and callers expect both.
      for (const item of list.items) Object.assign(item, { apiVersion: apiVersionOf(resource), kind: resource.kind });
      return list as ObjectList<never>;
    },
    watch: (resource, options) => openWatch(transport, resource, options),
    create: (resource, object, options = {}) =>
      sendForObject({
        method: 'POST',
        path: withSubresource(collectionPath(resource, object.metadata.namespace), options),
        body: { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind },
        ...writing(options),
      }),
    update: (resource, object, options = {}) =>
      sendForObject({
        method: 'PUT',
        path: objectPath(resource, keyOf(object), options.subresource),
        body: { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind },
        ...writing(options),
      }),
    patch: (resource, key, patch, options = {}) =>
      sendForObject({
        method: 'PATCH',
        path: objectPath(resource, key, options.subresource),
        body: patch.body,
        contentType: PATCH_TYPES[patch.type],
        ...writing(options),
      }),
    apply: (resource, object, options) =>
      sendForObject({
        method: 'PATCH',
        path: objectPath(resource, newKey(object.metadata), options.subresource),
        body: { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind },
        contentType: 'application/apply-patch+yaml',
        ...writing(options, { force: options.force }),
      }),
    async delete(resource, key, { signal, ...body } = {}) {
      await send({ method: 'DELETE', path: objectPath(resource, key), body, ...defined({ signal }) });
    },
    send,
    close: () => transport.close(),
  };
  return client;
}

function writing(options: WriteOptions, more: ApiRequest['query'] = {}): Pick<ApiRequest, 'query' | 'signal'> {
  const { fieldManager, dryRun, fieldValidation, signal } = options;
  return {
    query: { fieldManager, fieldValidation, dryRun: dryRun ? 'All' : undefined, ...more },
    ...defined({ signal }),
  };
}

const newKey = ({ namespace, name }: { namespace?: string | undefined; name?: string | undefined }): ObjectKey => ({
  ...defined({ namespace }),
  name: name ?? '',
});

const withSubresource = (path: string, { subresource }: WriteOptions): string =>
  subresource ? `${path}/${subresource}` : path;
