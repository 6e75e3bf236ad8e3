import type { ServerResponse } from 'node:http';
import type { Fault } from '../../faults/fault-plan.ts';
import type { Json } from './api-error.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Go's encoder escapes angle brackets: `<sealed>` travels as `\u003csealed\u003e` (recorded). */
const encode = (body: Json): string =>
  JSON.stringify(body).replace(/[<>&]/g, sign => `\\u00${sign.charCodeAt(0).toString(16)}`);

/** The SDK compares the content type as a whole: a charset behind it would make the body text instead of JSON. */
export const jsonReply = (status: number, body: Json | undefined, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', server: 'Scaleway API Gateway (fr-par-1;edge02)', ...headers },
  body: body === undefined ? '' : encode(body),
});

type Failure = Extract<Fault, { type: 'fail' }>;

/** A failure as the plan words it. A gateway between the client and the API answers in HTML, the API in JSON. */
export function failureReply({ code, message, retryAfter }: Failure): Reply {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter / 1_000)) };
  if (code === 502 || code === 504 || message.startsWith('<')) {
    const page = message.startsWith('<') ? message : `<html><body><h1>${code} ${message}</h1></body></html>`;
    return { status: code, headers: { 'content-type': 'text/html', ...headers }, body: page };
  }
  if (code === 429) {
    const reset = retryAfter === undefined ? {} : { reset_seconds: Math.ceil(retryAfter / 1_000) };
    return jsonReply(429, { help_message: message, message, type: 'too_many_requests', ...reset }, headers);
  }
  return jsonReply(code, { message, type: code >= 500 ? 'internal_error' : 'unknown_error' }, headers);
}

export function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(reply.status === 204 ? {} : { 'content-length': Buffer.byteLength(reply.body) }),
  });
  response.end(reply.body);
}

/** The connection breaks in the middle of the answer; one without a body is lost as a whole. */
export function sendHalf(response: ServerResponse, reply: Reply): void {
  if (reply.body === '') {
    response.destroy();
    return;
  }
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) + 1 });
  response.write(reply.body.slice(0, reply.body.length / 2), () => response.destroy());
}
