/** What a row of probe results comes to; a result counts once it has come often enough in a row. */
export interface ProbeCount {
  readonly passing: boolean;
  /** How many results in a row said the other thing. */
  readonly against: number;
}

export interface Thresholds {
  readonly success: number;
  readonly failure: number;
}

export function countProbe(before: ProbeCount, succeeded: boolean, { success, failure }: Thresholds): ProbeCount {
  if (succeeded === before.passing) return { passing: before.passing, against: 0 };
  const against = before.against + 1;
  return against >= (succeeded ? success : failure) ? { passing: succeeded, against: 0 } : { ...before, against };
}
