import { formatAge } from '@minifleet/clock';

/** Time since an RFC 3339 timestamp, as kubectl prints it in an AGE column; empty if the timestamp is missing. */
export const age = (since: string | undefined, now: number): string => formatAge(Date.parse(since ?? ''), now);
