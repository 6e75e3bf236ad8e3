import type { CliContext } from './context.ts';

/** The user wants to stop. */
export const abortError = (): DOMException => new DOMException('stopped', 'AbortError');

/** The work's result, or an AbortError as soon as the user wants to stop: for work that changes nothing. */
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
    work.catch(() => undefined); // whoever stopped does not hear of it any more
  }
}

/** Waits for the user. The timer keeps the process: a signal alone does not, and what runs beside it must not. */
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
