import type { ServerResponse } from 'node:http';

/** What the registry answers, before the line slows or breaks it. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** How many bytes the body stands for. */
  readonly standsFor?: number;
}

/** An error in the words of the distribution specification. */
export const refusal = (status: number, code: string, message: string): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(`${JSON.stringify({ errors: [{ code, message }] })}\n`),
});

export function writeHead(response: ServerResponse, reply: Reply, head: boolean): void {
  const length = head || reply.body ? { 'content-length': `${reply.body?.length ?? 0}` } : { 'content-length': '0' };
  response.writeHead(reply.status, { 'docker-distribution-api-version': 'registry/2.0', ...length, ...reply.headers });
}
