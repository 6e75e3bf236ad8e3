import type { Mac } from '../../mac.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer | string;
}

/** What a Mac can reach. Whoever builds the world around it answers; nothing is reachable by itself. */
export interface Network {
  /** Undefined: no such host. */
  http: (request: HttpRequest) => Promise<HttpResponse | undefined>;
  /** Whether something listens there, for `nc -z`. */
  listens: (host: string, port: number) => boolean;
}

const KEY = Symbol('network');

export const networkOf = (mac: Mac): Network =>
  mac.state(KEY, () => ({ http: async () => undefined, listens: () => false }));
