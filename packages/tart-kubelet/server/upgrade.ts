/** A request to leave HTTP and speak something else on the same socket. */
import type { Duplex } from 'node:stream';
import { type Call, HttpProblem } from './kubelet-request.ts';

export interface Upgrade {
  readonly call: Call;
  readonly socket: Duplex;
  /** What the client sent after its request, before it had an answer. */
  readonly head: Buffer;
}

type Protocol = 'websocket' | 'spdy';

const SPOKEN: Readonly<Record<string, Protocol>> = { websocket: 'websocket', 'spdy/3.1': 'spdy' };

export const isSpoken = (header: string | undefined): boolean => SPOKEN[header?.toLowerCase() ?? ''] !== undefined;

export function protocolOf({ call }: Upgrade): Protocol {
  const wanted = call.request.headers.upgrade?.toLowerCase();
  const protocol = SPOKEN[wanted ?? ''];
  if (protocol) return protocol;
  throw new HttpProblem(
    400,
    `unable to upgrade: cannot speak "${wanted ?? ''}"; SPDY/3.1 and websocket are spoken here`,
  );
}

/** The first of the client's wishes that we know; they come in the order of its preference. */
export const firstKnown = (wishes: readonly string[], known: readonly string[]): string | undefined =>
  wishes.find(wish => known.includes(wish));

/** The values of a header that may come several times or with commas. */
export const listOf = (header: string | string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .flatMap(value => value.split(','))
    .map(value => value.trim())
    .filter(value => value !== '');
