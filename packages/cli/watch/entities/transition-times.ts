interface ObjectConditions {
  readonly status?: { readonly conditions?: readonly { readonly lastTransitionTime?: string }[] };
}

/** Lists the transition times of all conditions. */
export const transitionsOf = (object: ObjectConditions | undefined): (string | undefined)[] =>
  (object?.status?.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime);

/** Returns the latest time in milliseconds since 1970; 0 if none is known. */
export const latestOf = (times: readonly (string | undefined)[]): number =>
  Math.max(0, ...times.map(time => Date.parse(time ?? '')).filter(time => !Number.isNaN(time)));
