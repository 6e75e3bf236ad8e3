/** An incident that happens to no host, so that no host can be struck with it. */
export interface NotOfAHost {
  readonly id: string;
  /** What it happens to instead, in a sentence. */
  readonly why: string;
  /** The test that shows what becomes of it, as in docs/promises.md. */
  readonly shownBy: string;
}

export const notOfAHost: readonly NotOfAHost[] = [
  {
    id: 'I21',
    why: 'A rollback that wedges happens to a release of the chart, and to no host.',
    shownBy:
      'charts/testing/releases.contract.ts › I21 W18 goes back from an atomic upgrade that fails, to a revision of an older chart, and is not wedged there',
  },
];

/** `I21: … It is shown by …`; undefined for all others. */
export function whyNotOfAHost(incident: string): string | undefined {
  const found = notOfAHost.find(({ id }) => id === incident.toUpperCase());
  return found && `${found.id}: ${found.why} It is shown by ${found.shownBy}`;
}
