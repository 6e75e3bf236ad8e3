/** How an entry of the journal says a thing, within what its schema allows. */
import type { HostStep } from '@minifleet/api';
import type { Retry } from '@minifleet/errors';

const LONGEST = 2048;

export const cut = (words: string): string => (words.length > LONGEST ? `${words.slice(0, LONGEST - 1)}…` : words);

export const inSeconds = (milliseconds: number | undefined): { readonly durationSeconds?: number } =>
  milliseconds === undefined ? {} : { durationSeconds: Math.round(milliseconds / 100) / 10 };

export function errorClassOf(retry: Retry): NonNullable<HostStep['errorClass']> {
  if (retry === 'backoff') return 'Backoff';
  if (retry === 'untilSpecChanges') return 'UntilSpecChanges';
  return retry === 'operator' ? 'Operator' : 'After';
}
