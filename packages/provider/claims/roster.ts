import { type Clock, createTtlCache, seconds } from '@minifleet/clock';
import type { Server } from '@minifleet/vendors';
import type { Vendors } from './vendors.ts';

/** The servers of a zone as the vendor listed them a moment ago. */
export interface Listing {
  readonly servers: readonly Server[];
  /** Ids that somebody here has tried to take from this list, whatever came of it. */
  readonly spokenFor: Set<string>;
}

/**
 * One list of servers for everybody who asks at the same time: hundreds of machines cost one call. It may be behind the truth,
 * so what it says in somebody's favour holds for a moment, and anything else is asked again of the server itself.
 */
export interface Roster {
  of(zone: string): Promise<Listing>;
}

export function createRoster({ vendors, clock }: { readonly vendors: Vendors; readonly clock: Clock }): Roster {
  const lists = createTtlCache({
    clock,
    ttl: seconds(2),
    load: async (zone: string): Promise<Listing> => {
      const vendor = await vendors.for(zone);
      return { servers: await vendor.servers(zone), spokenFor: new Set() };
    },
  });
  return { of: zone => lists.get(zone) };
}
