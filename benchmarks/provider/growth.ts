/** Ratio of the cost per machine at the largest and at the smallest size: 1 is linear, less is better. */
export const growthOf = (perMachine: readonly number[]): number =>
  (perMachine.at(-1) ?? Number.NaN) / (perMachine[0] ?? Number.NaN);
