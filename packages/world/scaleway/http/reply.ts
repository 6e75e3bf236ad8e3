import type { ServerResponse } from 'node:http';
import type { Fault } from '../../faults/fault-plan.ts';
import { invalidArgument, type JsonValue } from './scaleway-api-error.ts';

/** Query parameters of every list: `page` from 1, `page_size` at most 100 (SDK documentation). */
export const pagingParameters = ['page', 'page_size'] as const;

const MAX_PAGE_SIZE = 100;
/** The page size of a list without `page_size` is derived: no recording had that many servers. */
const DEFAULT_PAGE_SIZE = 50;

interface ResultPage<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
}

/** Returns one page. A page past the end is empty, not an error. The list may change between two pages. */
export function pageOf<T>(items: readonly T[], query: URLSearchParams): ResultPage<T> {
  const page = whole(query, 'page', 1, Number.MAX_SAFE_INTEGER);
  const size = whole(query, 'page_size', DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  return { items: items.slice((page - 1) * size, page * size), totalCount: items.length };
}

function whole(query: URLSearchParams, name: string, defaultValue: number, most: number): number {
  const given = query.get(name);
  if (given === null || given === '') return defaultValue;
  if (!/^-?\d+$/.test(given)) throw invalidArgument(name, 'format');
  const value = Number(given);
  if (value < 1 || value > most) throw invalidArgument(name, 'constraint', `must be between 1 and ${most}`);
  return value;
}

/** Sorts by `order_by` (default: ascending creation time). Items of equal time keep the creation order. */
export function ordered<T>(
  items: readonly T[],
  query: URLSearchParams,
  orders: Readonly<Record<string, (item: T) => number | string>>,
): readonly T[] {
  const requested = query.get('order_by') || 'created_at_asc';
  const [, field = '', direction] = /^(.+)_(asc|desc)$/.exec(requested) ?? [];
  const value = Object.hasOwn(orders, field) ? orders[field] : undefined;
  if (!value) throw invalidArgument('order_by', 'constraint', `unknown order ${requested}`);
  const sign = direction === 'desc' ? -1 : 1;
  return items.toSorted((one, other) => sign * compare(value(one), value(other)));
}

function compare(one: number | string, other: number | string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

export interface ScalewayReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Go's encoder escapes angle brackets: `<sealed>` is sent as `\u003csealed\u003e` (recorded). */
const encode = (body: JsonValue): string =>
  JSON.stringify(body).replace(/[<>&]/g, sign => `\\u00${sign.charCodeAt(0).toString(16)}`);

/** The SDK compares the whole content type: with a charset it would treat the body as text instead of JSON. */
export const jsonReply = (
  status: number,
  body: JsonValue | undefined,
  headers: ScalewayReply['headers'] = {},
): ScalewayReply => ({
  status,
  headers: { 'content-type': 'application/json', server: 'Scaleway API Gateway (fr-par-1;edge02)', ...headers },
  body: body === undefined ? '' : encode(body),
});

type FailFault = Extract<Fault, { type: 'fail' }>;

/** Builds the response of a `fail` fault. A gateway between the client and the API responds in HTML, the API in JSON. */
export function failureReply({ code, message, retryAfter }: FailFault): ScalewayReply {
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

export function send(response: ServerResponse, reply: ScalewayReply): void {
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(reply.status === 204 ? {} : { 'content-length': Buffer.byteLength(reply.body) }),
  });
  response.end(reply.body);
}

/** Breaks the connection in the middle of the response. A response without a body is lost completely. */
export function sendHalf(response: ServerResponse, reply: ScalewayReply): void {
  if (reply.body === '') {
    response.destroy();
    return;
  }
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) + 1 });
  response.write(reply.body.slice(0, reply.body.length / 2), () => response.destroy());
}
