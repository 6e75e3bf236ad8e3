import type { Duration } from '@minifleet/clock';

/**
 * How bytes get to an API server and back. The HTTP/2 one talks to a real server, the in-memory one *is* a server:
 * everything above this line is the same code for both.
 */
export interface Transport {
  /** Sends one request and reads the whole answer. Any HTTP status is an answer; only a lost or late one throws. */
  send(request: ApiRequest): Promise<ApiResponse>;
  /** Opens an answer without end (a watch, a followed log) line by line. */
  open(request: ApiRequest): Promise<ApiStream>;
  close(): Promise<void>;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Plain JSON unless said. */
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
  /** Ends when the server ends the answer; throws when the connection is lost. */
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

/** How a client asks for metadata alone. */
export const asMetadata = (kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList'): string =>
  `application/json;as=${kind};g=meta.k8s.io;v=v1`;
