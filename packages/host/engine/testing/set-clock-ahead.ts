import type { BuiltMac } from '@minifleet/world/mac';
// The world's index does not export it.
import { skewOf } from '../../../world/mac/network-name/mac-time.ts';

/** Makes the host's own clock wrong by so many milliseconds; ours stays. */
export function setClockAhead(mac: BuiltMac, milliseconds: number): void {
  skewOf(mac).ahead = milliseconds;
}
