import type { Clock } from './clock.ts';
import { type Duration, formatDuration } from './duration.ts';

/** The time limit was exceeded; no caller aborted. */
class OutOfTime extends Error {
  override readonly name = 'OutOfTime';

  constructor(limit: Duration) {
    super(`no answer within ${formatDuration(limit)}`);
  }
}

export interface Limits {
  readonly clock: Clock;
  readonly limit: Duration;
  readonly signal?: AbortSignal | null | undefined;
}

/** The body’s result, or OutOfTime, or the signal’s reason; at once, whether or not the body takes notice of its signal. */
export async function within<T>(
  { clock, limit, signal }: Limits,
  body: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const late = new AbortController();
  const timer = clock.after(limit, () => late.abort(new OutOfTime(limit)));
  const over = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  over.addEventListener('abort', () => reject(over.reason as Error), { once: true });
  try {
    return await Promise.race([body(over), ended]);
  } finally {
    timer.cancel();
  }
}
