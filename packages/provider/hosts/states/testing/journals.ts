import type { HostContact, HostStep } from '@minifleet/api';

export const NOW = Date.UTC(2030, 0, 1);
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();
export const PAST = at(-1);
export const LATER = at(60);

export const step = (name: string, more: Partial<HostStep> = {}): HostStep => ({
  name,
  state: 'Waiting',
  lastTransitionTime: at(-600),
  ...more,
});

/** A step that fails; without a time of the next attempt it needs an operator. */
export const failing = (name: string, attempts: number, next?: string, more: Partial<HostStep> = {}): HostStep =>
  step(name, {
    attempts,
    reason: 'HostCommandFailed',
    state: next === undefined ? 'Failed' : 'Waiting',
    ...(next === undefined ? {} : { nextAttemptTime: next }),
    ...more,
  });

/** A failure that belongs to no step. */
export const contactFailing = (attempts: number, next?: string, more: Partial<HostContact> = {}): HostContact => ({
  attempts,
  reason: 'HostUnreachable',
  state: next === undefined ? 'Failed' : 'Waiting',
  since: at(-600),
  ...(next === undefined ? {} : { nextAttemptTime: next }),
  ...more,
});
