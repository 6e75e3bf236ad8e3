/** A small JSON-over-HTTPS client for readiness checks and for the setup of the cluster. Programs use the client of `kube`. */
import { Agent, request } from 'node:https';

type HttpsCredentials = { certificateAuthority: string; clientCertificate?: string; clientKey?: string };
type HttpsResponse = { readonly status: number; readonly text: string };
type HttpsRequestOptions = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  timeout?: number;
  headers?: Record<string, string>;
};

export type HttpsClient = {
  request(path: string, options?: HttpsRequestOptions): Promise<HttpsResponse>;
  close(): void;
};

const DEFAULT_TIMEOUT = 10_000;

export function createHttpsClient(server: string, credentials: HttpsCredentials): HttpsClient {
  const agent = new Agent({
    keepAlive: true,
    ca: credentials.certificateAuthority,
    ...(credentials.clientCertificate === undefined ? {} : { cert: credentials.clientCertificate }),
    ...(credentials.clientKey === undefined ? {} : { key: credentials.clientKey }),
  });
  return {
    request: (path, options = {}) => send(new URL(path, server), agent, options),
    close: () => agent.destroy(),
  };
}

function send(url: URL, agent: Agent, options: HttpsRequestOptions): Promise<HttpsResponse> {
  const { method = 'GET', body, timeout = DEFAULT_TIMEOUT } = options;
  const { promise, resolve, reject } = Promise.withResolvers<HttpsResponse>();
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = { ...(content === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers };
  const outgoing = request(url, { agent, method, headers, signal: AbortSignal.timeout(timeout) }, incoming => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', reject);
    incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
  });
  outgoing.on('error', reject);
  outgoing.end(content);
  return promise;
}
