import type { Clock, Duration } from '@minifleet/clock';
import { minutes } from '@minifleet/clock';

/**
 * Time until a missing Node counts as deleted. An agent whose Node is deleted by hand registers it again within seconds,
 * with its VMs running (I37). Kubernetes itself waits 40 s before it collects the Pods of a missing Node.
 */
export const GONE_AFTER = minutes(1);

/** Tracks since when Nodes are missing. A new process starts again, which only delays the release. */
export interface MissingNodes {
  /** Time until the Node counts as deleted; 0 if it does already. */
  left(name: string): Duration;
  found(name: string): void;
}

export function createMissingNodes(clock: Clock): MissingNodes {
  const since = new Map<string, number>();
  return {
    left(name) {
      const first = since.get(name) ?? clock.now();
      since.set(name, first);
      return Math.max(0, first + GONE_AFTER - clock.now()) as Duration;
    },
    found: name => void since.delete(name),
  };
}
