interface ObjectConditions {
  readonly status?: { readonly conditions?: readonly { readonly lastTransitionTime?: string }[] };
}

/** When each condition came to be what it is. */
export const transitionsOf = (object: ObjectConditions | undefined): (string | undefined)[] =>
  (object?.status?.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime);

/** The latest of them; before everything when none is known. */
export const latestOf = (times: readonly (string | undefined)[]): number =>
  Math.max(0, ...times.map(time => Date.parse(time ?? '')).filter(time => !Number.isNaN(time)));
