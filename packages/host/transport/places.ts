/** A fixed number of places, taken in the order they were asked for. */
export interface Places {
  /** Resolves with how to leave once there is room; undefined when the signal aborts first. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

export function createPlaces(count: number): Places {
  let free = count;
  const waiting = new Set<() => void>();
  const leave = (): void => {
    free += 1;
    const [next] = waiting;
    next?.();
  };
  const taken = (): (() => void) => {
    free -= 1;
    let left = false;
    return () => {
      if (!left) leave();
      left = true;
    };
  };
  return {
    take(signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      if (free > 0) return Promise.resolve(taken());
      return new Promise(resolve => {
        const settle = (): void => {
          waiting.delete(settle);
          signal.removeEventListener('abort', settle);
          resolve(signal.aborted ? undefined : taken());
        };
        waiting.add(settle);
        signal.addEventListener('abort', settle, { once: true });
      });
    },
  };
}
