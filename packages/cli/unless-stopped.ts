import type { Surroundings } from './surroundings.ts';

/** The user wants to stop. */
export const stopped = (): DOMException => new DOMException('stopped', 'AbortError');

/** The work's result, or an AbortError as soon as the user wants to stop: for work that changes nothing. */
export async function unlessStopped<T>({ signal }: Pick<Surroundings, 'signal'>, work: Promise<T>): Promise<T> {
  const { promise: never, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(stopped());
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
