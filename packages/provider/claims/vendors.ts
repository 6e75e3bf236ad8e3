import type { Vendor } from '@minifleet/vendors';

/** Which driver answers for a zone. Zones of an inventory are the inventory's, every other is the vendor's. */
export interface Vendors {
  for(zone: string): Promise<Vendor>;
  all(): readonly Vendor[];
}
