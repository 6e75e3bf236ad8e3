import type { RequestObserver } from '../client/observed-transport.ts';
import type { Metrics } from './metrics.ts';

/** Counts a client's requests under client-go's name: `connectClient(sources, { onRequest: countRequests(…) })`. */
export const countRequests =
  (metrics: Metrics, host: string): RequestObserver =>
  ({ method }, code) =>
    metrics.requests.inc({ code, method, host });
