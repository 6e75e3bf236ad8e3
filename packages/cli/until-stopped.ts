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
