/** One request, with everything a route needs to answer it. */
import type { IncomingMessage } from 'node:http';
import type { ServerParts } from './server-parts.ts';

export interface Call {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parts of the path after the route's own, decoded: `namespace`, `pod`, `uid`, `container`. */
  readonly segments: readonly string[];
  readonly server: ServerParts;
}
