import {
  type BackOffOptions,
  backOffDelay,
  type Clock,
  type Duration,
  milliseconds,
  pause,
  seconds,
} from '@minifleet/clock';
import { ConnectionError, retryAfterOf } from './api-error.ts';
import type { ApiRequest, ApiResponse, ApiStream, Transport } from './transport.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly tries?: number;
  /** A server that asks for more patience than this gets its error passed on to the caller, who can wait better. */
  readonly longestWait?: Duration;
  /** A program waits for its server to come back; a person at a terminal may rather hear of some losses at once. */
  readonly worthRetrying?: (error: ConnectionError) => boolean;
  readonly onRetry?: (request: ApiRequest, why: string, delay: Duration) => void;
}

const backOff: BackOffOptions = { first: milliseconds(50), most: seconds(2), jitter: 0.5 };

/**
 * Sends again what certainly took no effect: an answer that says "later" (429, or 5xx with Retry-After), a request
 * that never left, and a read whose connection broke. A write whose answer was lost is the caller's to look into.
 */
export function retrying(transport: Transport, options: RetryOptions): Transport {
  const { tries = 6, longestWait = seconds(30), worthRetrying = () => true } = options;

  async function attempt<T extends RetriedResponse>(request: ApiRequest, send: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      const last = failures + 1 >= tries;
      const { answer, wait, why, discard } = await outcomeOf(request, send, { last, worthRetrying });
      if (wait === undefined || wait > longestWait) return answer();
      const delay = milliseconds(
        Math.max(
          wait,
          backOffDelay(backOff, failures, () => options.clock.random()),
        ),
      );
      discard?.();
      options.onRetry?.(request, why, delay);
      await pause(options.clock, delay, request.signal);
      request.signal?.throwIfAborted();
    }
  }

  return {
    send: request => attempt(request, () => transport.send(request)),
    open: request => attempt(request, () => transport.open(request)),
    close: () => transport.close(),
  };
}

interface Attempted<T> {
  /** The answer, or throws the error, of this attempt. */
  readonly answer: () => T;
  readonly wait: Duration | undefined;
  readonly why: string;
  /** Closes a response that is not read. */
  readonly discard?: () => void;
}

type RetriedResponse = Pick<ApiResponse, 'status' | 'headers'> & Partial<Pick<ApiStream, 'close'>>;

async function outcomeOf<T extends RetriedResponse>(
  request: ApiRequest,
  send: () => Promise<T>,
  { last, worthRetrying }: { readonly last: boolean } & Required<Pick<RetryOptions, 'worthRetrying'>>,
): Promise<Attempted<T>> {
  try {
    const answer = await send();
    return {
      answer: () => answer,
      wait: last ? undefined : askedToWait(answer),
      why: `answered ${answer.status}`,
      discard: () => answer.close?.(),
    };
  } catch (error) {
    const harmless = error instanceof ConnectionError && (error.unsent || request.method === 'GET');
    const again = !last && harmless && worthRetrying(error);
    return {
      answer: () => {
        throw error;
      },
      wait: again ? milliseconds(0) : undefined,
      why: error instanceof Error ? error.message : String(error),
    };
  }
}

function askedToWait(answer: RetriedResponse): Duration | undefined {
  const asked = retryAfterOf(answer);
  if (answer.status === 429) return asked ?? seconds(1);
  return answer.status >= 500 ? asked : undefined;
}
