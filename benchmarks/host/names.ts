import type { TransportMode } from './caller/calls.ts';

/** The same measured both ways. */
export type BothModes<T> = Readonly<Record<TransportMode, T>>;

export const MODES: readonly TransportMode[] = ['minifleet', 'one command a connection'];

/** One host at a time, a new Mac for each run. macOS takes three quarters of a minute: most runs need not wait for it. */
export const ONE_HOST = { runs: 3, speed: 20 };

/**
 * Many hosts at once, in real time: what a busy machine delays must not count as a slow Mac. The baseline would take the
 * whole machine for minutes, so it is measured on a few hosts only, with ours beside it.
 */
export const FLEET = { hosts: 200, few: 20, speed: 1 };
