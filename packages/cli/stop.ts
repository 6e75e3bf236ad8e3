import type { CliContext } from './context.ts';

/** Error of a command that the user interrupted. */
export const abortError = (): DOMException => new DOMException('stopped', 'AbortError');

/** Returns the result of the work, or throws an AbortError as soon as the user interrupts. Only for read-only work, which goes on unobserved. */
export async function untilAborted<T>({ signal }: Pick<CliContext, 'signal'>, work: Promise<T>): Promise<T> {
  const { promise: never, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(abortError());
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, never]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    never.catch(() => undefined);
    work.catch(() => undefined); // after an interrupt the error of the work is not reported
  }
}

/** Waits for an interrupt. The timer keeps the process alive: a signal listener alone does not, and background work must not. */
export const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const alive = setInterval(() => undefined, 60_000);
    const finish = (): void => {
      clearInterval(alive);
      resolve();
    };
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish, { once: true });
  });
