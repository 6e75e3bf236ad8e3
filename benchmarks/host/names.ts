import type { TransportMode } from './caller/calls.ts';

/** One figure per transport. */
export type BothModes<T> = Readonly<Record<TransportMode, T>>;

export const MODES: readonly TransportMode[] = ['minifleet', 'one command a connection'];

/** One new Mac per run. macOS takes 45 s in real time, so its clock is accelerated. */
export const ONE_HOST = { runs: 3, speed: 20 };

/**
 * Many concurrent hosts in real time, so that delays of a busy machine do not count as a slow Mac. The baseline would
 * occupy the whole machine for minutes, so both transports are compared on a few hosts.
 */
export const FLEET = { hosts: 200, few: 20, speed: 1 };
