import type { Clock } from '@minifleet/clock';
import { type Client, createClient } from './client.ts';
import { type CredentialSources, createCredentials } from './credentials.ts';
import { createHttp2Transport, type Http2TransportOptions } from './http2-transport.ts';
import { observed, type RequestObserver } from './observed-transport.ts';
import { type RetryOptions, retrying } from './retrying-transport.ts';

export interface ConnectOptions extends Omit<Http2TransportOptions, 'credentials'> {
  readonly clock: Clock;
  readonly retry?: Omit<RetryOptions, 'clock'>;
  readonly onRequest?: RequestObserver;
}

/** A client of a real API server. Nothing is sent before the first call. */
export function connectClient(sources: CredentialSources, options: ConnectOptions): Client {
  const credentials = createCredentials(sources, options.clock);
  const transport = createHttp2Transport({ ...options, credentials });
  const seen = options.onRequest ? observed(transport, options.onRequest) : transport;
  return createClient(retrying(seen, { clock: options.clock, ...options.retry }));
}
