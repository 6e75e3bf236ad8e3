import type { Clock, Duration } from '@minifleet/clock';
import { minutes } from '@minifleet/clock';

/**
 * How long a Node must be missing before it counts as gone. An agent whose Node is deleted by hand registers it anew within seconds,
 * with its VMs running (I37). Kubernetes itself waits 40 s before it collects the Pods of a missing Node.
 */
export const GONE_AFTER = minutes(1);

/** Since when each Node is missing, as this process saw it. A new process begins to count anew, which only delays. */
export interface MissingNodes {
  /** How long it must still be missing; 0 when it is gone. */
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
