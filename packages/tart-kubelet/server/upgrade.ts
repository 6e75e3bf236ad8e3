/** A request to switch the protocol on the same socket. */
import type { Duplex } from 'node:stream';
import { HttpProblem, type KubeletCall } from './kubelet-request.ts';

export interface Upgrade {
  readonly call: KubeletCall;
  readonly socket: Duplex;
  /** Bytes that the client sent after its request, before the response. */
  readonly head: Buffer;
}

type UpgradeProtocol = 'websocket' | 'spdy';

const PROTOCOLS: Readonly<Record<string, UpgradeProtocol>> = { websocket: 'websocket', 'spdy/3.1': 'spdy' };

export const isSupported = (header: string | undefined): boolean =>
  PROTOCOLS[header?.toLowerCase() ?? ''] !== undefined;

export function protocolOf({ call }: Upgrade): UpgradeProtocol {
  const requested = call.request.headers.upgrade?.toLowerCase();
  const protocol = PROTOCOLS[requested ?? ''];
  if (protocol) return protocol;
  throw new HttpProblem(
    400,
    `unable to upgrade: protocol "${requested ?? ''}" is not supported; use SPDY/3.1 or websocket`,
  );
}

/** First supported protocol in the client's order of preference. */
export const firstSupported = (wishes: readonly string[], known: readonly string[]): string | undefined =>
  wishes.find(wish => known.includes(wish));

/** Values of a header that may be repeated or comma-separated. */
export const listOf = (header: string | string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .flatMap(value => value.split(','))
    .map(value => value.trim())
    .filter(value => value !== '');
