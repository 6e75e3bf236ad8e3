/** Lets only so many through at once, in the order they came. */
export interface Lane {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createLane(atOnce: number): Lane {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return {
    async run(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>(resolve => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
