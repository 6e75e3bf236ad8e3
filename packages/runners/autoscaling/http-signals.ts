import { type Clock, seconds, within } from '@minifleet/clock';
import { messageOf } from '@minifleet/kube';
import { SCALING_SIGNALS_UNAVAILABLE } from './errors.ts';
import { readSignals } from './read-signals.ts';
import type { SignalSource } from './signals.ts';

export interface HttpSignalsOptions {
  readonly url: string;
  readonly clock: Clock;
  /** Of our own service account, read anew for each call. */
  readonly token: () => Promise<string | undefined>;
}

const LIMIT = seconds(5);
const MOST_BYTES = 2 ** 20;

/** Asks a server that knows the queue: `GET <url>?fleet=<pool>`. */
export const httpSignals = ({ url, clock, token }: HttpSignalsOptions): SignalSource => {
  async function ask(pool: string, signal: AbortSignal): Promise<string> {
    const bearer = await token();
    if (!bearer) throw new Error('we have no token of a service account to show there');
    const address = new URL(url);
    address.searchParams.set('fleet', pool);
    const response = await fetch(address, {
      signal,
      headers: { authorization: `Bearer ${bearer}` },
      redirect: 'error',
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`it answers ${response.status}`);
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
    if (bytes > MOST_BYTES) throw new Error('the answer is longer than 1 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `fetch failed` says nothing; what it failed at does. */
const whyOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
