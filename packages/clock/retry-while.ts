/** Conflicts in a row after which a writer gives up. */
const ATTEMPTS = 10;

/**
 * Runs `attempt` again, at once, while `isRetryable` accepts its error. Throws the last error after ten attempts.
 * For optimistic concurrency: one of several writers wins each round, so ten rounds are enough for ten writers.
 */
export async function retryWhile<T>(isRetryable: (error: unknown) => boolean, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts >= ATTEMPTS || !isRetryable(error)) throw error;
    }
  }
}
