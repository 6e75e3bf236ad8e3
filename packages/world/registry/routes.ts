import type { ServerResponse } from 'node:http';
import type { Chance } from '../chance.ts';
import { MANIFEST_TYPE, missingBlob, putBlob, putManifest, type RegistryContent } from '../oci/image-content.ts';

export interface RegistryHttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

interface RegistryRoute {
  readonly pattern: RegExp;
  readonly methods: Readonly<Record<string, (asked: RegistryHttpRequest, found: readonly string[]) => RegistryReply>>;
}

/** Serves the part of the OCI distribution API that image clients use. Returns undefined for an unknown endpoint. */
export function createRoutes(
  content: RegistryContent,
  chance: Chance,
): (asked: RegistryHttpRequest) => RegistryReply | undefined {
  const routes = [manifestRoute(content), blobRoute(content), uploadRoute(content, chance), tagRoute(content)];
  return asked => {
    if (asked.path === '/v2/') return { status: 200, body: Buffer.from('{}') };
    for (const { pattern, methods } of routes) {
      const [, ...found] = pattern.exec(asked.path) ?? [];
      if (found.length > 0) return methods[asked.method === 'HEAD' ? 'GET' : asked.method]?.(asked, found);
    }
    return undefined;
  };
}

const manifestRoute = (content: RegistryContent): RegistryRoute => ({
  pattern: /^\/v2\/(.+)\/manifests\/([^/]+)$/,
  methods: {
    GET: (_, [repository = '', reference = '']) => {
      const body = content.manifests.get(repository)?.get(reference);
      if (!body) return refusal(404, 'MANIFEST_UNKNOWN', 'manifest unknown');
      const digest = putManifest(content, { repository, reference }, body);
      return { status: 200, headers: { 'content-type': MANIFEST_TYPE, 'docker-content-digest': digest }, body };
    },
    PUT: ({ body }, [repository = '', reference = '']) => {
      const missing = missingBlob(content, body);
      if (missing !== undefined) return refusal(404, 'MANIFEST_BLOB_UNKNOWN', `blob unknown to registry: ${missing}`);
      const digest = putManifest(content, { repository, reference }, body);
      const location = `/v2/${repository}/manifests/${digest}`;
      return { status: 201, headers: { 'docker-content-digest': digest, location } };
    },
  },
});

const blobRoute = (content: RegistryContent): RegistryRoute => ({
  pattern: /^\/v2\/(?:.+)\/blobs\/(sha256:[0-9a-f]+)$/,
  methods: {
    GET: (_, [digest = '']) => {
      const body = content.blobs.get(digest);
      if (!body) return refusal(404, 'BLOB_UNKNOWN', 'blob unknown to registry');
      const standsFor = content.simulatedSizes.get(digest) ?? body.length;
      const headers = { 'content-type': 'application/octet-stream', 'docker-content-digest': digest };
      return { status: 200, headers, body, standsFor };
    },
  },
});

function uploadRoute(content: RegistryContent, chance: Chance): RegistryRoute {
  const accepted = (repository: string, id: string): RegistryReply => ({
    status: 202,
    headers: {
      location: `/v2/${repository}/blobs/uploads/${id}`,
      range: `0-${Math.max(0, sizeOf(content, id) - 1)}`,
      'docker-upload-uuid': id,
    },
  });
  const begin = (asked: RegistryHttpRequest, repository: string): RegistryReply => {
    const digest = asked.query.get('digest');
    const id = chance.uuid();
    content.uploads.set(id, [asked.body]);
    return digest === null ? accepted(repository, id) : finish(content, { repository, id, digest });
  };
  return {
    pattern: /^\/v2\/(.+)\/blobs\/uploads\/([^/]*)$/,
    methods: {
      POST: (asked, [repository = '']) => begin(asked, repository),
      PATCH: (asked, [repository = '', id = '']) => {
        const upload = content.uploads.get(id);
        if (!upload) return refusal(404, 'BLOB_UPLOAD_UNKNOWN', 'blob upload unknown to registry');
        upload.push(asked.body);
        return accepted(repository, id);
      },
      PUT: (asked, [repository = '', id = '']) => {
        const upload = content.uploads.get(id);
        if (!upload) return refusal(404, 'BLOB_UPLOAD_UNKNOWN', 'blob upload unknown to registry');
        upload.push(asked.body);
        return finish(content, { repository, id, digest: asked.query.get('digest') ?? '' });
      },
    },
  };
}

interface FinishedUpload {
  readonly repository: string;
  readonly id: string;
  readonly digest: string;
}

function finish(content: RegistryContent, { repository, id, digest }: FinishedUpload): RegistryReply {
  const data = Buffer.concat(content.uploads.get(id) ?? []);
  content.uploads.delete(id);
  const actual = putBlob(content, data);
  if (actual !== digest) {
    content.blobs.delete(actual);
    return refusal(400, 'DIGEST_INVALID', 'provided digest did not match uploaded content');
  }
  return { status: 201, headers: { location: `/v2/${repository}/blobs/${digest}`, 'docker-content-digest': digest } };
}

const sizeOf = (content: RegistryContent, id: string): number =>
  (content.uploads.get(id) ?? []).reduce((sum, part) => sum + part.length, 0);

const tagRoute = (content: RegistryContent): RegistryRoute => ({
  pattern: /^\/v2\/(.+)\/tags\/list$/,
  methods: {
    GET: (_, [repository = '']) => {
      const known = content.manifests.get(repository);
      if (!known) return refusal(404, 'NAME_UNKNOWN', 'repository name not known to registry');
      const tags = [...known.keys()].filter(reference => !reference.startsWith('sha256:')).sort();
      return { status: 200, body: Buffer.from(JSON.stringify({ name: repository, tags })) };
    },
  },
});

/** The reply of the registry, before a fault or the bandwidth limit affects it. */
export interface RegistryReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Number of bytes that the body simulates. */
  readonly standsFor?: number;
}

/** Returns an error in the format of the distribution specification. */
export const refusal = (status: number, code: string, message: string): RegistryReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(`${JSON.stringify({ errors: [{ code, message }] })}\n`),
});

export function writeHead(response: ServerResponse, reply: RegistryReply, head: boolean): void {
  const length = head || reply.body ? { 'content-length': `${reply.body?.length ?? 0}` } : { 'content-length': '0' };
  response.writeHead(reply.status, { 'docker-distribution-api-version': 'registry/2.0', ...length, ...reply.headers });
}
