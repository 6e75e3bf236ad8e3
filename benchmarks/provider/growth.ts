/** How much a cost per machine is at the largest size beside the smallest: 1 is linear, less is better. */
export const growthOf = (perMachine: readonly number[]): number =>
  (perMachine.at(-1) ?? Number.NaN) / (perMachine[0] ?? Number.NaN);
