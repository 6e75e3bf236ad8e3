import type { BuiltMac } from '@minifleet/world/mac';
// The world's index does not export it.
import { skewOf } from '@minifleet/world/testing/mac';

/** Makes the host's own clock wrong by so many milliseconds; ours stays. */
export function setClockAhead(mac: BuiltMac, milliseconds: number): void {
  skewOf(mac).ahead = milliseconds;
}
