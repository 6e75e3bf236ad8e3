import { inspect } from 'node:util';
import { type Duration, formatDuration, milliseconds, seconds } from '../duration.ts';

export interface EventuallyOptions {
  readonly deadline?: Duration;
  /** Time between two checks (default: a tenth of the time waited so far, at least 10 ms and at most 100 ms). */
  readonly interval?: Duration;
  /** Names what is awaited in the error. */
  readonly what?: string;
}

type Truthy<T> = Exclude<T, undefined | null | false | 0 | ''>;

/**
 * Asks again and again until the condition gives something truthy, and returns that. A condition that throws has not
 * come true yet; after the deadline the last failure or the last value is in the error.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Truthy<T>> {
  const deadline = options.deadline ?? seconds(60);
  const start = performance.now();
  for (;;) {
    const outcome = await attempt(condition);
    if ('value' in outcome && outcome.value) return outcome.value as Truthy<T>;
    const waited = performance.now() - start;
    if (waited >= deadline) throw tooLate(outcome, deadline, options.what);
    await new Promise(resolve => setTimeout(resolve, options.interval ?? pollInterval(waited)));
  }
}

/**
 * Many conditions start kubectl or ask an API server. Checked every 10 ms for seconds, they take the processor time that the awaited
 * process needs.
 */
export const pollInterval = (waited: number): Duration => milliseconds(Math.min(Math.max(waited / 10, 10), 100));

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

async function attempt<T>(condition: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}

function tooLate(outcome: Outcome<unknown>, deadline: Duration, what = 'the condition'): Error {
  const start = `${what} did not come true within ${formatDuration(deadline)}`;
  if ('value' in outcome) return new Error(`${start}; the last value was ${inspect(outcome.value, { depth: 4 })}`);
  const { error } = outcome;
  return new Error(`${start}; the last failure was: ${error instanceof Error ? error.message : inspect(error)}`, {
    cause: error,
  });
}
