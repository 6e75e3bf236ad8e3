import { request } from 'node:https';

/** Fields of a kubeconfig that are needed to call an API server with a client certificate. */
interface Credentials {
  server: string;
  certificateAuthority: string;
  clientCertificate: string;
  clientKey: string;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
}

export interface Answer {
  status: number;
  body: unknown;
  /** The API server's own words when it refused. */
  message: string;
}

/** One plain HTTPS call: this package knows no client, and a test of schemas needs none. */
export function callApiServer(credentials: Credentials, { method, path, body }: Call): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const options = {
    method,
    ca: credentials.certificateAuthority,
    cert: credentials.clientCertificate,
    key: credentials.clientKey,
    headers: { accept: 'application/json', 'content-type': type },
  };
  return new Promise((resolve, reject) => {
    const call = request(new URL(path, credentials.server), options, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(answer(response.statusCode ?? 0, Buffer.concat(chunks).toString())));
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function answer(status: number, text: string): Answer {
  const body = JSON.parse(text) as { message?: string };
  return { status, body, message: body.message ?? '' };
}
