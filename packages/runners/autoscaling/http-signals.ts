import { type Clock, seconds, within } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { messageOf } from '@minifleet/kube';
import type { SignalSource, Signals } from './signals.ts';

export const SCALING_SIGNALS_UNAVAILABLE = defineError('SCALING_SIGNALS_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'ScalingSignalsUnavailable',
  text: '{url}: scaling signals of pool {pool} are unavailable ({why}); keeping replicas, retrying. If this persists, check that the URL responds',
});

interface HttpSignalsOptions {
  readonly url: string;
  readonly clock: Clock;
  /** Token of the program's service account, read for each call. */
  readonly token: () => Promise<string | undefined>;
}

const LIMIT = seconds(5);
const MOST_BYTES = 2 ** 20;

/** Requests signals from a server that knows the queue: `GET <url>?fleet=<pool>`. */
export const httpSignals = ({ url, clock, token }: HttpSignalsOptions): SignalSource => {
  async function ask(pool: string, signal: AbortSignal): Promise<string> {
    const bearer = await token();
    if (!bearer) throw new Error('no service account token is available');
    const address = new URL(url);
    address.searchParams.set('fleet', pool);
    const response = await fetch(address, {
      signal,
      headers: { authorization: `Bearer ${bearer}` },
      redirect: 'error',
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`HTTP ${response.status}`);
    }
    return textOf(response);
  }
  return async ({ metadata: { name: pool } }, { signal }) => {
    try {
      return readSignals(await within({ clock, limit: LIMIT, signal }, over => ask(pool, over)), pool);
    } catch (error) {
      signal.throwIfAborted();
      throw SCALING_SIGNALS_UNAVAILABLE({ url, pool, why: whyOf(error) }, { cause: error });
    }
  };
};

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Error('the response is longer than 1 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `fetch failed` has no information; its cause has. */
const whyOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);

/** Parses a response. Throws on anything invalid: an error page must not count as zero demand. */
function readSignals(text: string, pool: string): Signals {
  const answer = parsed(text);
  const { fleet = pool } = answer;
  if (fleet !== pool) throw new Error(`the response is for ${String(fleet)}`);
  const count = (field: string, otherwise?: number): number => {
    const value = answer[field] ?? otherwise;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      throw new Error(`field ${field} is not a count`);
    }
    return Math.ceil(value);
  };
  return {
    claimed: count('claimed'),
    queued: count('queued'),
    // Older servers omit these.
    occupied: count('occupied', 0),
    withheld: count('withheld', 0),
    p95: count('p95_concurrent_last_hour', 0),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the response is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('the response is not an object');
  return value as Readonly<Record<string, unknown>>;
}
