import type { Clock } from '@minifleet/clock';
import { type Client, createClient } from './client.ts';
import { type CredentialSources, createCredentials } from './credentials.ts';
import { createHttp2Transport, type Http2TransportOptions } from './http2-transport.ts';
import { learnSecrets, type SecretLearner } from './learn-secrets.ts';
import { observed, type RequestObserver } from './observed-transport.ts';
import { type RetryOptions, retrying } from './retrying-transport.ts';

export interface ConnectOptions extends Omit<Http2TransportOptions, 'credentials'> {
  readonly clock: Clock;
  readonly retry?: Omit<RetryOptions, 'clock'>;
  readonly onRequest?: RequestObserver;
  /** Learns every secret that the client reads: its own credentials, Secrets and service account tokens. */
  readonly learner?: SecretLearner;
}

/** Connects to an API server. Nothing is sent before the first call. */
export function connectClient(sources: CredentialSources, options: ConnectOptions): Client {
  const { clock, learner, onRequest } = options;
  const credentials = createCredentials(sources, clock, learner);
  const transport = createHttp2Transport({ ...options, credentials });
  const counted = onRequest ? observed(transport, onRequest) : transport;
  const retried = retrying(counted, { clock, ...options.retry });
  return createClient(learner ? learnSecrets(retried, learner) : retried);
}
