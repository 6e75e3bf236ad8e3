/** The two ways a node learns that a guest has booted: it is told, or it asks every five seconds. */
export type StatusMode = 'minifleet' | 'polling';

export type BothModes<T> = Readonly<Record<StatusMode, T>>;

/** A guest's own boot, which is subtracted where something is said to be added. */
export const BOOT_MS = 1_250;

/** Pods that come one after the other, each deleted once it runs. */
export const FEW = { nodes: 30, pods: 100, perSecond: 5 };

/** A whole fleet, two slots a node: the burst fills it to the last one. Its Pods take no token, as those of runners. */
export const FLEET = { nodes: 500, processes: 2, pods: 1_000, trickle: 100, perSecond: 5 };

export const DELETION = { pods: 20, pullSeconds: 300 };

export const IDLE = { guests: 2, settleSeconds: 8, seconds: 30 };

export const LOG_MEGABYTES = 100;

export const EXEC_RUNS = 15;
