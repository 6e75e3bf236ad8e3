import type { Duration } from '@minifleet/clock';

/**
 * Sends requests to an API server. The HTTP/2 transport connects to a real server; the in-memory transport is a server itself.
 * All code above this interface is the same for both.
 */
export interface Transport {
  /** Sends one request and reads the whole response. Any HTTP status is a response; only a lost or late one throws. */
  send(request: ApiRequest): Promise<ApiResponse>;
  /** Opens a streaming response (a watch, a followed log) line by line. */
  open(request: ApiRequest): Promise<ApiStream>;
  close(): Promise<void>;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Default: JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  readonly timeout?: Duration;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ApiStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends when the server ends the response; throws when the connection is lost. */
  readonly lines: AsyncIterable<string>;
  close(): void;
}

export function pathWithQuery(request: ApiRequest): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size > 0 ? `${request.path}?${query.toString()}` : request.path;
}

/** Accept header of a request for metadata only. */
export const asMetadata = (kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList'): string =>
  `application/json;as=${kind};g=meta.k8s.io;v=v1`;
