/** Source of the information that a guest has booted: by notification, or by polling every five seconds. */
export type StatusMode = 'minifleet' | 'polling';

export type BothModes<T> = Readonly<Record<StatusMode, T>>;

/** Boot time of a guest, which is subtracted from the added time. */
export const BOOT_MS = 1_250;

/** Pods that are created one after the other and deleted once they run. */
export const FEW = { nodes: 30, pods: 100, perSecond: 5 };

/** A whole fleet with two slots per node, which the burst fills completely. Its Pods have no token, like those of runners. */
export const FLEET = { nodes: 500, processes: 2, pods: 1_000, trickle: 100, perSecond: 5 };

export const DELETION = { pods: 20, pullSeconds: 300 };

export const IDLE = { guests: 2, settleSeconds: 8, seconds: 30 };

export const LOG_MEGABYTES = 100;

export const EXEC_RUNS = 15;
